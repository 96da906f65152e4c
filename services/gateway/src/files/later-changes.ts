import type { SettledChange } from './effective-changes.ts';
import type { RevertScope } from './revert-scope.ts';

/** Why undoing these changes would lose what someone else did after them; null when it would not. */
export function findLaterChange(
  scope: RevertScope,
  effective: readonly SettledChange[],
  undone: readonly SettledChange[],
): string | null {
  const from = undone[0]?.place ?? 0;
  const chosen = new Set(undone.map(({ place }) => place));
  const later = effective.find(({ place }) => place > from && !chosen.has(place));
  return later === undefined ? null : `it was changed later by ${nameOf(scope, later)}`;
}

/** Why undoing would lose what was written between two changes without a call; null when nothing was. */
export function findStrangeContent(settled: readonly SettledChange[], from: number): string | null {
  const known = new Set<string | null>();
  for (const { place, before, after } of settled) {
    const hash = before?.hash ?? null;
    if (place > from && !known.has(hash)) {
      return 'it was changed in between, outside Loom';
    }
    known.add(hash);
    known.add(after?.hash ?? null);
  }
  return null;
}

function nameOf(
  { tenant_id, task_id }: RevertScope,
  change: Pick<SettledChange, 'tenant_id' | 'task_id' | 'subtask_id' | 'turn_id' | 'tool'>,
): string {
  // A workspace may be shared; what others do in it is theirs.
  if (change.tenant_id !== tenant_id) return 'someone else';
  if (change.task_id === task_id) return `subtask ${change.subtask_id}`;
  return change.task_id === null ? `turn ${change.turn_id}` : `task ${change.task_id}`;
}
