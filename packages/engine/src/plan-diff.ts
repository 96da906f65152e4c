import type { PlanSubtask } from '@loom/shared/plan';
import type { PlanDiff } from '@loom/shared/task-state';

/** What a new plan changes, by subtask id, in the order of the new plan. */
export function diffPlans(before: readonly PlanSubtask[], after: readonly PlanSubtask[]): PlanDiff {
  const old = new Map(before.map((spec) => [spec.id, spec]));
  const diff: PlanDiff = { added: [], changed: [], kept: [] };
  for (const spec of after) {
    const earlier = old.get(spec.id);
    if (earlier === undefined) diff.added.push(spec.id);
    else if (isSameSpec(earlier, spec)) diff.kept.push(spec.id);
    else diff.changed.push(spec.id);
  }
  return diff;
}

/** Whether two versions of a subtask ask for the same. */
export function isSameSpec(one: PlanSubtask, other: PlanSubtask): boolean {
  return canonical(one) === canonical(other);
}

function canonical(spec: PlanSubtask): string {
  return JSON.stringify(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)));
}
