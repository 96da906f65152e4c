/** One number of the report, with the bound it is to keep, if it has one. */
export interface Measurement {
  part: string;
  name: string;
  value: number;
  unit: string;
  target?: { at_least: number } | { at_most: number };
  /** What the number rests on: other figures of the same run. */
  detail?: Record<string, number | string>;
}

/** Whether the bound is kept; null without one. */
export function meetsTarget({ value, target }: Measurement): boolean | null {
  if (target === undefined) return null;
  return 'at_least' in target ? value >= target.at_least : value <= target.at_most;
}
