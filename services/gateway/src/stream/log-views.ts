import type { Database } from '@loom/db/database';
import { getLastSeq, isTaskOfTurn, listEvents, type StreamKey } from '@loom/db/read/events';
import { getTaskStatus } from '@loom/db/read/tasks';
import { getTurnStatus } from '@loom/db/read/turns';
import { type EventType, terminalTaskEvents } from '@loom/shared/events';
import { isTerminalTask, isTerminalTurn } from '@loom/shared/statuses';
import type { LogView } from './follow-log.ts';

const turnStops: readonly EventType[] = [
  'turn.completed',
  'turn.failed',
  'turn.cancelled',
  'turn.awaiting_user',
];

/** A task's log; it is over when its last event was sent and the task is still at its end. */
export function viewTask(db: Database, tenant_id: string, task_id: string): LogView {
  const stream: StreamKey = { kind: 'task', id: task_id, tenant_id };
  return {
    stream_id: task_id,
    live_session_id: null,
    read: (after, limit) => listEvents(db, stream, { after, limit }),
    wants: () => true,
    async isOver(seq, event) {
      if (event !== null && !terminalTaskEvents.includes(event.type)) return false;
      const status = await getTaskStatus(db, { tenant_id, task_id });
      if (status === null || !isTerminalTask(status)) return false;
      return seq >= ((await getLastSeq(db, stream)) ?? 0);
    },
  };
}

/** A session's log, with the text that its turns are writing. It goes on for ever. */
export function viewSession(db: Database, tenant_id: string, session_id: string): LogView {
  const stream: StreamKey = { kind: 'session', id: session_id, tenant_id };
  return {
    stream_id: session_id,
    live_session_id: session_id,
    read: (after, limit) => listEvents(db, stream, { after, limit }),
    wants: () => true,
    isOver: () => false,
  };
}

/** One turn's part of its session's log, to its end or until it waits for its user. */
export function viewTurn(
  db: Database,
  key: { tenant_id: string; session_id: string; turn_id: string },
): LogView {
  const taskIsOwn = new Map<string, boolean>();
  return {
    ...viewSession(db, key.tenant_id, key.session_id),
    async wants({ turn_id, task_id }) {
      if (turn_id !== undefined) return turn_id === key.turn_id;
      if (task_id === undefined) return false;
      const known = taskIsOwn.get(task_id);
      if (known !== undefined) return known;
      const isOwn = await isTaskOfTurn(db, { ...key, task_id });
      taskIsOwn.set(task_id, isOwn);
      return isOwn;
    },
    async isOver(_seq, event) {
      if (event === null || !turnStops.includes(event.type)) return false;
      const status = await getTurnStatus(db, key);
      return status === null || isTerminalTurn(status) || status === 'awaiting_user';
    },
  };
}
