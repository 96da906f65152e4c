import type { ChatMessage } from '@loom/shared/chat';
import { terminalTaskEvents } from '@loom/shared/events';
import type { Ring } from '@loom/shared/queues';
import type pg from 'pg';
import { appendToSessions, lockSessions, type SessionLine } from './append-to-sessions.ts';
import { delegationAnswer } from './delegation-answer.ts';
import type { TaskWork } from './task-batch.ts';

/**
 * Brings what happened to tasks into the sessions that started them: their events, for a waiting
 * turn the result as the answer to its tool call, which wakes the turn, and the result of a
 * delegation that no turn waits for as a message of its own.
 */
export async function tellSessions(
  client: pg.ClientBase,
  works: TaskWork[],
): Promise<{ sessions: string[]; rings: Ring[] }> {
  const linesBySession = new Map<string, SessionLine[]>();
  const wakened: { task_id: string; turn_id: string }[] = [];
  for (const work of works) {
    const { session_id } = work.row;
    if (session_id === null) continue;
    const lines = linesBySession.get(session_id) ?? [];
    linesBySession.set(session_id, lines);
    lines.push(...linesOf(work));
    const { id, turn_id, tool_call_id, turn_waits } = work.row;
    if (turn_id === null || tool_call_id === null || !hasJustEnded(work)) continue;
    lines.push(turn_waits ? answerLine(work, turn_id, tool_call_id) : resultLine(work));
    if (turn_waits) wakened.push({ task_id: id, turn_id });
  }
  if (linesBySession.size === 0) return { sessions: [], rings: [] };
  const sessions = await lockSessions(client, [...linesBySession.keys()]);
  await appendToSessions(
    client,
    [...sessions.values()].map((session) => ({
      session,
      lines: linesBySession.get(session.id) ?? [],
      tokens: 0,
    })),
  );
  return { sessions: [...sessions.keys()], rings: await wakeTurns(client, wakened) };
}

function linesOf({ row, events }: TaskWork): SessionLine[] {
  return events.map((event) => ({
    kind: 'event',
    event,
    turn_id: row.turn_id,
    task_id: row.id,
  }));
}

/** A task that is retried ends again, and then its session hears of it again. */
function hasJustEnded({ ended, events }: TaskWork): boolean {
  return ended && events.some(({ type }) => terminalTaskEvents.includes(type));
}

function answerLine({ row, state }: TaskWork, turn_id: string, tool_call_id: string): SessionLine {
  const content = delegationAnswer(row.id, state);
  const failed = state.status === 'failed' ? { failed: true } : {};
  const tool_name = 'delegate_task';
  const message: ChatMessage = { role: 'tool', content, tool_call_id, tool_name, ...failed };
  return { kind: 'message', turn_id, message, task_id: row.id };
}

function resultLine({ row, state }: TaskWork): SessionLine {
  const head = `Task ${row.id}, which this conversation delegated without waiting, has ended.`;
  const content = `${head}\n\n${delegationAnswer(row.id, state)}`;
  return {
    kind: 'message',
    turn_id: null,
    message: { role: 'system', content },
    task_id: row.id,
  };
}

async function wakeTurns(
  client: pg.ClientBase,
  wakened: { task_id: string; turn_id: string }[],
): Promise<Ring[]> {
  if (wakened.length === 0) return [];
  const { rows } = await client.query<{ id: string; epoch: number; tenant_id: string }>({
    name: 'wake-turns',
    text: `WITH answered AS (UPDATE tasks SET turn_waits = false WHERE id = ANY($1))
      UPDATE units SET status = 'waiting', rung_at = now(), updated_at = now()
      WHERE id = ANY($2) AND status = 'parked' RETURNING id, epoch, tenant_id`,
    values: [wakened.map(({ task_id }) => task_id), wakened.map(({ turn_id }) => turn_id)],
  });
  return rows.map(({ id, epoch, tenant_id }) => ({
    queue: 'turns',
    tenant_id,
    unit_id: id,
    epoch,
  }));
}
