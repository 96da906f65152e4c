import type { Failure } from '@loom/shared/api';
import type { EventType, NewEvent } from '@loom/shared/events';
import type { NewUnit, SubtaskState, TaskDecision, TaskState } from '@loom/shared/task-state';

/** A decision in the making: a copy of the state, and what it gives rise to. */
export interface Draft {
  state: TaskState;
  events: NewEvent[];
  units: NewUnit[];
  withdraw: TaskDecision['withdraw'];
  plan: TaskDecision['plan'];
}

/** Copies the state, so that deciding never changes what was passed in. */
export function openDraft(state: TaskState): Draft {
  return {
    state: {
      ...state,
      errors: [...state.errors],
      files_changed: [...state.files_changed],
      subtasks: state.subtasks.map((subtask) => ({ ...subtask })),
    },
    events: [],
    units: [],
    withdraw: 'none',
    plan: null,
  };
}

export function taskEvent(draft: Draft, type: EventType, data: Record<string, unknown> = {}): void {
  draft.events.push({ type, data });
}

export function subtaskEvent(
  draft: Draft,
  type: EventType,
  subtask: SubtaskState,
  data: Record<string, unknown> = {},
): void {
  const attempt = subtask.attempts > 0 ? { attempt: subtask.attempts } : {};
  draft.events.push({ type, subtask_id: subtask.id, ...attempt, data });
}

/** The subtask an input speaks of, or null when the input is about an attempt that is past. */
export function currentAttempt(
  draft: Draft,
  input: { subtask_id: string; attempt: number },
): SubtaskState | null {
  const subtask = draft.state.subtasks.find(({ id }) => id === input.subtask_id);
  return subtask !== undefined && subtask.attempts === input.attempt ? subtask : null;
}

export function addError(draft: Draft, failure: Failure): void {
  draft.state.errors.push(failure);
}
