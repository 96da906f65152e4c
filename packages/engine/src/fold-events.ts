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
  'task.running': 'running',
  'task.paused': 'paused',
  'task.confirmation_required': 'awaiting_confirmation',
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
  'subtask.outcome_stale': 'pending',
  'subtask.skipped': 'skipped',
  'subtask.blocked': 'blocked',
};

/** Events that say what the task is called from here on. */
const namesStatus: EventType[] = ['task.retried', 'task.resumed', 'task.confirmation_received'];

/** The state a task's log alone gives; more of the log is folded onto what the beginning gave. */
export function foldEvents(
  events: Iterable<FoldableEvent>,
  state: FoldedState = nothingFolded(),
): FoldedState {
  for (const event of events) foldEvent(state, event);
  return state;
}

function nothingFolded(): FoldedState {
  return { status: 'queued', verification: 'unverified', plan_version: 0, subtasks: [] };
}

function foldEvent(state: FoldedState, event: FoldableEvent): void {
  if (event.type === 'task.plan_ready') {
    const { plan_version, subtasks } = event.data as {
      plan_version: number;
      subtasks: { id: string }[];
    };
    const known = new Map(state.subtasks.map((subtask) => [subtask.id, subtask]));
    if (plan_version === 1 && state.status !== 'paused') state.status = 'ready';
    state.plan_version = plan_version;
    state.subtasks = subtasks.map(
      ({ id }) => known.get(id) ?? { id, status: 'pending', attempts: 0 },
    );
  }
  if (event.type === 'task.retried') state.verification = 'unverified';
  if (namesStatus.includes(event.type)) state.status = event.data.status as TaskStatus;
  const status = taskStatusAfter[event.type];
  if (status !== undefined) state.status = status;
  if (typeof event.data.verification === 'string' && event.subtask_id === undefined) {
    state.verification = event.data.verification as Verification;
  }
  const subtask = state.subtasks.find(({ id }) => id === event.subtask_id);
  if (subtask === undefined) return;
  const subtaskStatus = statusAfter(event, subtask.status);
  if (subtaskStatus !== undefined) subtask.status = subtaskStatus;
  if (event.type === 'subtask.queued' && event.attempt !== undefined) {
    subtask.attempts = event.attempt;
  }
}

function statusAfter(event: FoldableEvent, now: SubtaskStatus): SubtaskStatus | undefined {
  // A blocking repair is an attempt like any other; a follow-up looks at a finished one again.
  const isFollowUp = event.data.reverify === true;
  switch (event.type) {
    case 'approval.requested':
      return 'awaiting_approval';
    case 'subtask.resumed':
      return now === 'awaiting_approval' && event.data.by === undefined ? 'running' : undefined;
    case 'remediation.attempted':
      return isFollowUp ? 'verifying' : undefined;
    case 'remediation.resolved':
    case 'remediation.failed':
    case 'remediation.expired':
      return isFollowUp ? 'completed' : undefined;
    default:
      return subtaskStatusAfter[event.type];
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
