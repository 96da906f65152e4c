import type { Plan } from '@loom/shared/plan';

/** Makes a synthesis that others depend on an ordinary subtask: it could never run last. */
export function normalisePlan(plan: Plan): Plan {
  const needed = new Set(plan.subtasks.flatMap(({ depends_on }) => depends_on));
  return {
    ...plan,
    subtasks: plan.subtasks.map((subtask) =>
      subtask.is_synthesis && needed.has(subtask.id)
        ? { ...subtask, is_synthesis: false }
        : subtask,
    ),
  };
}
