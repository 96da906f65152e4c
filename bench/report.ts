import { cpus, loadavg, totalmem } from 'node:os';
import { type Measurement, meetsTarget } from './measurement.ts';

/** What a run found out, and on what machine. */
export interface Report {
  machine: Record<string, number | string>;
  measurements: (Measurement & { met: boolean | null })[];
  /** Parts that could not be measured, and why. */
  failures: { part: string; reason: string }[];
  seconds: number;
}

/** What the numbers were measured on; a load of its own makes them worse than they are. */
export function describeMachine(): Report['machine'] {
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memory_mb: Math.round(totalmem() / 1_048_576),
    load_before: rounded(loadavg()[0] ?? 0),
    node: process.version,
  };
}

/** Judges the measurements by their bounds and rounds them. */
export function makeReport(
  found: Omit<Report, 'measurements'> & { measurements: Measurement[] },
): Report {
  return {
    ...found,
    measurements: found.measurements.map((one) => ({
      ...one,
      value: rounded(one.value),
      ...(one.detail === undefined ? {} : { detail: roundedAll(one.detail) }),
      met: meetsTarget(one),
    })),
    seconds: Math.round(found.seconds),
  };
}

/** The report for people: one line a number, what it rests on below it. */
export function renderReport({ machine, measurements, failures, seconds }: Report): string {
  const width = Math.max(...measurements.map(({ name }) => name.length), 0);
  const lines = measurements.flatMap((one) => {
    const value = `${one.value} ${one.unit}`.padStart(16);
    const head = `(${one.part}) ${one.name.padEnd(width)} ${value}  ${judge(one)}`.trimEnd();
    const detail = Object.entries(one.detail ?? {}).map(([key, found]) => `${key} ${found}`);
    return detail.length === 0 ? [head] : [head, `      ${detail.join(', ')}`];
  });
  return [
    Object.entries(machine)
      .map(([key, found]) => `${key} ${found}`)
      .join(', '),
    ...lines,
    ...failures.map(({ part, reason }) => `(${part}) FAILED: ${reason}`),
    `measured in ${seconds} s`,
  ].join('\n');
}

function judge({ target, met }: Report['measurements'][number]): string {
  if (target === undefined) return '';
  const bound = 'at_least' in target ? `≥ ${target.at_least}` : `≤ ${target.at_most}`;
  return `${met ? '✓' : '✗'} target ${bound}`;
}

function roundedAll(detail: Record<string, number | string>) {
  return Object.fromEntries(
    Object.entries(detail).map(([key, value]) => [
      key,
      typeof value === 'number' ? rounded(value) : value,
    ]),
  );
}

/** Three digits say enough. */
function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
