import type { Replay } from '@loom/shared/api';
import type { EventType } from '@loom/shared/events';
import type { SubtaskStatus, TaskStatus, Verification } from '@loom/shared/statuses';
import type { TaskState } from '@loom/shared/task-state';

type FoldedState = Replay['state'];

interface FoldableEvent {
  type: EventType;
  subtask_id?: string;
  attempt?: number;
  data: Record<string, unknown>;
}

const taskStatusAfter: Partial<Record<EventType, TaskStatus>> = {
  'task.queued': 'queued',
  'task.planning': 'planning',
  'task.plan_ready': 'ready',
  'task.running': 'running',
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.cancelled': 'cancelled',
};

const subtaskStatusAfter: Partial<Record<EventType, SubtaskStatus>> = {
  'subtask.queued': 'queued',
  'subtask.started': 'running',
  'subtask.verifying': 'verifying',
  'subtask.completed': 'completed',
  'subtask.failed': 'failed',
  'subtask.retrying': 'pending',
  'subtask.skipped': 'skipped',
  'subtask.blocked': 'blocked',
};

/** The state a task's log alone gives. */
export function foldEvents(events: Iterable<FoldableEvent>): FoldedState {
  const state: FoldedState = {
    status: 'queued',
    verification: 'unverified',
    plan_version: 0,
    subtasks: [],
  };
  for (const event of events) foldEvent(state, event);
  return state;
}

function foldEvent(state: FoldedState, event: FoldableEvent): void {
  if (event.type === 'task.plan_ready') {
    const { plan_version, subtasks } = event.data as {
      plan_version: number;
      subtasks: { id: string }[];
    };
    state.plan_version = plan_version;
    state.subtasks = subtasks.map(({ id }) => ({ id, status: 'pending', attempts: 0 }));
  }
  if (event.type === 'task.retried') {
    state.status = event.data.status as TaskStatus;
    state.verification = 'unverified';
  }
  const status = taskStatusAfter[event.type];
  if (status !== undefined) state.status = status;
  if (typeof event.data.verification === 'string' && event.subtask_id === undefined) {
    state.verification = event.data.verification as Verification;
  }
  const subtask = state.subtasks.find(({ id }) => id === event.subtask_id);
  if (subtask === undefined) return;
  const subtaskStatus = subtaskStatusAfter[event.type];
  if (subtaskStatus !== undefined) subtask.status = subtaskStatus;
  if (event.type === 'subtask.queued' && event.attempt !== undefined) {
    subtask.attempts = event.attempt;
  }
}

/** The part of a stored state that its log must be able to give. */
export function replayableState(state: TaskState): FoldedState {
  const { status, verification, plan_version } = state;
  const subtasks = state.subtasks.map(({ id, status, attempts }) => ({ id, status, attempts }));
  return { status, verification, plan_version, subtasks };
}

/** Where the two differ, in words. */
export function compareReplay(folded: FoldedState, stored: FoldedState): string[] {
  const differences: string[] = [];
  for (const field of ['status', 'verification', 'plan_version'] as const) {
    if (folded[field] !== stored[field]) {
      differences.push(`${field}: the log says ${folded[field]}, the state ${stored[field]}`);
    }
  }
  const byId = new Map(folded.subtasks.map((subtask) => [subtask.id, subtask]));
  for (const { id, status, attempts } of stored.subtasks) {
    const other = byId.get(id);
    byId.delete(id);
    if (other === undefined) differences.push(`subtask ${id}: not in the log`);
    else if (other.status !== status || other.attempts !== attempts) {
      const log = `${other.status} after ${other.attempts} attempts`;
      differences.push(`subtask ${id}: the log says ${log}, the state ${status} after ${attempts}`);
    }
  }
  for (const id of byId.keys()) differences.push(`subtask ${id}: only in the log`);
  return differences;
}
