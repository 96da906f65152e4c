import type { Plan, PlanError, PlanSubtask } from '@loom/shared/plan';

/** Everything wrong with a plan's graph; an empty list means it can run. */
export function validatePlan(plan: Plan): PlanError[] {
  const byId = new Map<string, PlanSubtask>();
  const errors: PlanError[] = [];
  for (const subtask of plan.subtasks) {
    if (byId.has(subtask.id)) {
      errors.push(planError(subtask.id, 'duplicate_id', `the id "${subtask.id}" is used twice`));
    }
    byId.set(subtask.id, subtask);
  }
  for (const subtask of plan.subtasks) errors.push(...dependencyErrors(subtask, byId));
  errors.push(...cycleErrors(byId));
  return errors;
}

function dependencyErrors(subtask: PlanSubtask, byId: Map<string, PlanSubtask>): PlanError[] {
  const errors: PlanError[] = [];
  for (const dependency of new Set(subtask.depends_on)) {
    const target = byId.get(dependency);
    if (target === undefined) {
      const message = `depends on "${dependency}", which is not in the plan`;
      errors.push(planError(subtask.id, 'unknown_dependency', message));
    } else if (target.is_synthesis && subtask.is_synthesis) {
      const message = `is a synthesis, so nothing may depend on it, but "${subtask.id}" does`;
      errors.push(planError(target.id, 'synthesis_has_dependents', message));
    } else if (target.is_synthesis) {
      const message = `depends on the synthesis "${dependency}", which runs last`;
      errors.push(planError(subtask.id, 'depends_on_synthesis', message));
    }
  }
  return errors;
}

/** Removes what has no open dependency until nothing changes; what is left lies on a cycle or behind one. */
function cycleErrors(byId: Map<string, PlanSubtask>): PlanError[] {
  const open = new Map<string, Set<string>>();
  const dependents = new Map<string, string[]>();
  for (const subtask of byId.values()) {
    const known = new Set(subtask.depends_on.filter((id) => byId.has(id)));
    open.set(subtask.id, known);
    for (const id of known) dependents.set(id, [...(dependents.get(id) ?? []), subtask.id]);
  }
  const free = [...open].filter(([, dependencies]) => dependencies.size === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    open.delete(id);
    for (const dependent of dependents.get(id) ?? []) {
      const dependencies = open.get(dependent);
      dependencies?.delete(id);
      if (dependencies?.size === 0) free.push(dependent);
    }
  }
  return [...open].map(([id, dependencies]) =>
    planError(id, 'cycle', `waits for itself through ${[...dependencies].join(', ')}`),
  );
}

function planError(subtask_id: string, code: PlanError['code'], message: string): PlanError {
  return { subtask_id, code, message };
}
