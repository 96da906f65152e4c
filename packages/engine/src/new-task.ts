import { type BudgetLimits, nothingSpent } from '@loom/shared/budget';
import type { PlanSubtask } from '@loom/shared/plan';
import { emptyCourse, emptyTrail } from '@loom/shared/task-course';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type { SubtaskState, TaskState } from '@loom/shared/task-state';

/** A task before anything happened to it. */
export function newTask(params: {
  id: string;
  goal: string;
  max_parallel: number;
  policy: TaskPolicy;
  limits: BudgetLimits;
}): TaskState {
  return {
    ...params,
    status: 'queued',
    verification: 'unverified',
    plan_version: 0,
    plan_attempts: 0,
    cancel_mode: null,
    errors: [],
    summary: null,
    files_changed: [],
    spent: nothingSpent,
    course: emptyCourse,
    wake_at: null,
    subtasks: [],
  };
}

/** A subtask before anything happened to it. */
export function newSubtask(spec: PlanSubtask): SubtaskState {
  return {
    id: spec.id,
    spec,
    status: 'pending',
    verification: 'unverified',
    attempts: 0,
    attempts_forgiven: 0,
    deferrals: 0,
    feedback: null,
    summary: null,
    error: null,
    trail: emptyTrail,
  };
}
