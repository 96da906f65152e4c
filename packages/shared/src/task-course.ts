import type { SubtaskTrail, TaskCourse, UnitKey } from './task-state.ts';

/** A course on which nothing out of the ordinary has happened yet. */
export const emptyCourse: TaskCourse = Object.freeze({
  paused: null,
  replan: null,
  replans: 0,
  extra_versions: 0,
  plan_is_final: false,
  stall_recoveries: 0,
  completions: 0,
  guidance: [],
  discoveries: [],
  in_doubt: [],
  remediations: [],
  remediation_attempts: 0,
  approvals: [],
  approvals_asked: 0,
  allowed_tools: [],
  holds: {},
  exhausted: null,
  deadline: null,
  actions: {},
});

/** A trail that leads nowhere yet. */
export const emptyTrail: SubtaskTrail = Object.freeze({
  signatures: [],
  strategy: null,
  failed_before: null,
  missing_targets: [],
  confirmations: 0,
  verification_round: 0,
  not_before: null,
  held: false,
  superseded: false,
  seen_by_person: false,
});

/** What of a record differs from its empty form, or null: rows stay small where nothing happened. */
export function packRecord<T extends object>(value: T, empty: T): Partial<T> | null {
  const kept = (Object.keys(empty) as (keyof T)[]).filter((key) => !isSame(value[key], empty[key]));
  return kept.length === 0 ? null : (pick(value, kept) as Partial<T>);
}

/** The whole of a stored record again. */
export function unpackRecord<T extends object>(stored: Partial<T> | null, empty: T): T {
  return stored === null ? empty : { ...empty, ...stored };
}

function pick<T extends object>(value: T, keys: (keyof T)[]): object {
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return false;
  }
  return Object.keys(one).length === 0 && Object.keys(other).length === 0;
}

/** By which name a unit's grant is kept. */
export function holdKey({ queue, subtask_id, attempt }: UnitKey): string {
  return `${queue}/${subtask_id ?? ''}/${attempt ?? ''}`;
}
