import type { Failure } from '@loom/shared/api';
import type { EventType, NewEvent } from '@loom/shared/events';
import type {
  DecisionContext,
  SubtaskState,
  SubtaskTrail,
  TaskCourse,
  TaskDecision,
  TaskState,
} from '@loom/shared/task-state';

/** A decision in the making: a copy of the state, and what it gives rise to. */
export interface Draft extends TaskDecision {
  context: DecisionContext;
  /** Something ended, began or was freed: what that means for the rest is settled at the end. */
  unsettled: boolean;
}

/** Copies the state, so that deciding never changes what was passed in. */
export function openDraft(state: TaskState, context: DecisionContext): Draft {
  return {
    context,
    unsettled: false,
    state: {
      ...state,
      errors: [...state.errors],
      files_changed: [...state.files_changed],
      subtasks: state.subtasks.map((subtask) => ({ ...subtask })),
    },
    events: [],
    units: [],
    withdraw: 'none',
    wake: { paused: false, attempts: [] },
    approvals: [],
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
  const event: NewEvent = { type, subtask_id: subtask.id, ...attempt, data };
  draft.events.push(event);
}

/** The subtask an input speaks of, or null when the input is about an attempt that is past. */
export function currentAttempt(
  draft: Draft,
  input: { subtask_id: string; attempt: number },
): SubtaskState | null {
  const subtask = findSubtask(draft, input.subtask_id);
  return subtask?.attempts === input.attempt ? subtask : null;
}

export function findSubtask(draft: Draft, id: string | null): SubtaskState | null {
  return draft.state.subtasks.find((subtask) => subtask.id === id) ?? null;
}

export function addError(draft: Draft, failure: Failure): void {
  draft.state.errors.push(failure);
}

/** The course is shared with the state before: it is replaced, never changed in place. */
export function setCourse(draft: Draft, patch: Partial<TaskCourse>): void {
  draft.state.course = { ...draft.state.course, ...patch };
}

/** So is a subtask's trail. */
export function setTrail(subtask: SubtaskState, patch: Partial<SubtaskTrail>): void {
  subtask.trail = { ...subtask.trail, ...patch };
}
