import { isTerminalTask } from '@loom/shared/statuses';
import type { TaskInput } from '@loom/shared/task-state';
import { type Draft, setCourse, taskEvent } from '../draft.ts';
import { requestReplan } from './replan.ts';

const maxGuidance = 50;

/** Guidance reaches executors at their next step; what has not begun is planned anew with it. */
export function steer(
  draft: Draft,
  { guidance, by }: Extract<TaskInput, { kind: 'steer_requested' }>,
): void {
  const { state } = draft;
  if (isTerminalTask(state.status) || state.cancel_mode !== null) return;
  setCourse(draft, { guidance: [...state.course.guidance, guidance].slice(-maxGuidance) });
  taskEvent(draft, 'task.steered', {
    receipt_id: guidance.id,
    guidance: guidance.guidance,
    subtask_id: guidance.subtask_id,
    by,
  });
  const unstarted = state.subtasks.some(({ status }) => status === 'pending');
  if (guidance.subtask_id === null && unstarted) {
    requestReplan(draft, 'steered', guidance.guidance);
  }
}
