import type { Failure } from '@loom/shared/api';
import { addDiscoveries } from '@loom/shared/discoveries';
import type { SubtaskState, TaskInput } from '@loom/shared/task-state';
import { openApproval } from '../approvals.ts';
import { currentAttempt, type Draft, setCourse, setTrail, subtaskEvent } from '../draft.ts';
import { endSubtask } from '../end-subtask.ts';
import { reserve } from './budget.ts';
import { handleFailure } from './failure.ts';
import { dropStale } from './replan.ts';

interface AttemptRef {
  subtask_id: string;
  attempt: number;
}

/** A runner took an attempt up, went on with it, or took it over from one that died. */
export function startAttempt(draft: Draft, input: AttemptRef & { resumed: boolean }): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || !isAtWork(subtask) || subtask.status === 'verifying') return;
  const { course, cancel_mode } = draft.state;
  if (cancel_mode !== null) {
    stopAttempt(draft, subtask);
    return;
  }
  if (subtask.trail.superseded) return leaveStale(draft, subtask, 'not resumed');
  if (course.paused !== null || subtask.trail.held) return;
  if (course.approvals.some(({ subtask_id }) => subtask_id === subtask.id)) return;
  const unit = { queue: 'subtasks', ...input } as const;
  const wants = { model_calls: 1, tool_calls: 0, mutating_tool_calls: 0 };
  if (!reserve(draft, unit, wants)) {
    refuseAttempt(draft, subtask);
    return;
  }
  if (subtask.status === 'queued') {
    subtask.status = 'running';
    subtaskEvent(draft, 'subtask.started', subtask);
  } else if (subtask.status === 'awaiting_approval') {
    subtask.status = 'running';
    subtaskEvent(draft, 'subtask.resumed', subtask);
  } else if (!input.resumed) {
    subtaskEvent(draft, 'run.recovered', subtask, { queue: 'subtasks' });
  }
}

/** A paused task's attempt waits; once a budget is spent for good it is over. */
function refuseAttempt(draft: Draft, subtask: SubtaskState): void {
  const { exhausted } = draft.state.course;
  if (exhausted === null) return;
  const message = `the budget ${exhausted.budget} was spent`;
  endSubtask(draft, subtask, 'skipped', { code: 'budget_exhausted', message });
  draft.unsettled = true;
}

/** The executor says it is done: now someone else looks at the result. */
export function finishAttempt(
  draft: Draft,
  input: AttemptRef & { summary: string; files_changed: string[]; discoveries: string[] },
): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'running') return;
  const { state } = draft;
  if (input.files_changed.length > 0) {
    state.files_changed = [...new Set([...state.files_changed, ...input.files_changed])].sort();
  }
  if (state.cancel_mode !== null) return stopAttempt(draft, subtask);
  if (subtask.trail.superseded) return leaveStale(draft, subtask, 'done');
  subtask.summary = input.summary;
  noteDiscoveries(draft, subtask, input.discoveries);
  subtask.status = 'verifying';
  requestVerification(draft, subtask);
  subtaskEvent(draft, 'subtask.verifying', subtask, { summary: input.summary });
}

/** Hands the current attempt's result to a verifier, each time as a new unit. */
export function requestVerification(draft: Draft, subtask: SubtaskState): void {
  const round = subtask.trail.verification_round + 1;
  setTrail(subtask, { verification_round: round });
  draft.units.push({
    queue: 'verifications',
    subtask_id: subtask.id,
    attempt: subtask.attempts,
    tier: null,
    round,
  });
}

function noteDiscoveries(draft: Draft, subtask: SubtaskState, found: string[]): void {
  if (found.length === 0) return;
  const { discoveries } = draft.state.course;
  setCourse(draft, { discoveries: addDiscoveries(discoveries, subtask.id, found) });
}

/** The executor could not do it. */
export function failAttempt(draft: Draft, input: AttemptRef & { failure: Failure }): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'running') return;
  if (draft.state.cancel_mode !== null) stopAttempt(draft, subtask);
  else if (subtask.trail.superseded) leaveStale(draft, subtask, 'failed');
  else handleFailure(draft, subtask, input.failure, null);
}

/** The executor stopped because it was told to. */
export function cancelAttempt(draft: Draft, input: AttemptRef): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || !isAtWork(subtask)) return;
  const { cancel_mode, course } = draft.state;
  if (cancel_mode === null && subtask.trail.superseded) {
    leaveStale(draft, subtask, 'cancelled');
  } else if (cancel_mode === null && course.exhausted !== null) {
    refuseAttempt(draft, subtask);
  } else {
    stopAttempt(draft, subtask);
  }
}

/** A verifier took the result up. */
export function startVerification(draft: Draft, input: AttemptRef): void {
  const subtask = currentAttempt(draft, input);
  if (subtask?.status !== 'verifying') return;
  if (subtask.trail.superseded) return leaveStale(draft, subtask, 'not verified');
  if (draft.state.course.paused !== null || subtask.trail.held) return;
  subtaskEvent(draft, 'verification.started', subtask);
}

/** An executor wants to do something that a person must allow first. */
export function askForAction(
  draft: Draft,
  input: Extract<TaskInput, { kind: 'approval_requested' }>,
): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'running') return;
  const { cancel_mode, policy } = draft.state;
  if (cancel_mode !== null) return stopAttempt(draft, subtask);
  if (subtask.trail.superseded) return leaveStale(draft, subtask, 'awaiting_approval');
  subtask.status = 'awaiting_approval';
  openApproval(draft, {
    kind: 'tool',
    subtask,
    tool: input.tool,
    arguments: input.arguments,
    call_key: input.call_key,
    reason: input.reason,
    seconds: policy.approval.timeout_seconds,
    on_timeout: policy.approval.on_timeout,
  });
}

/** A unit that kept dying takes its subtask with it: more of the same would kill more workers. */
export function buryAttempt(draft: Draft, input: Extract<TaskInput, { kind: 'unit_died' }>): void {
  const { queue, subtask_id, attempt, reason } = input;
  if (subtask_id === null || attempt === null) return;
  const subtask = currentAttempt(draft, { subtask_id, attempt });
  if (subtask === null || !isAtWork(subtask)) return;
  const queueOfStatus = subtask.status === 'verifying' ? 'verifications' : 'subtasks';
  if (queue !== queueOfStatus) return;
  if (draft.state.cancel_mode !== null) return stopAttempt(draft, subtask);
  endSubtask(draft, subtask, 'failed', { code: 'dead_letter', message: reason });
  draft.unsettled = true;
}

/** Somebody has a unit of it, or it waits for somebody. */
export function isAtWork({ status }: SubtaskState): boolean {
  return ['queued', 'running', 'verifying', 'awaiting_approval'].includes(status);
}

/** The plan changed under the attempt: what came of it is recorded, and the subtask starts anew. */
export function leaveStale(draft: Draft, subtask: SubtaskState, outcome: string): void {
  dropStale(draft, subtask, outcome);
  draft.unsettled = true;
}

function stopAttempt(draft: Draft, subtask: SubtaskState): void {
  endSubtask(draft, subtask, 'skipped', { code: 'cancelled', message: 'the task was stopped' });
  draft.unsettled = true;
}
