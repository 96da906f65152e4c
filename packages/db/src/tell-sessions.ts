import type { Ring } from '@loom/shared/queues';
import type pg from 'pg';
import { appendToSessions, lockSessions, type SessionLine } from './append-to-sessions.ts';
import type { TaskWork } from './task-batch.ts';

/**
 * Brings what happened to tasks into the sessions that started them: their events, and for a
 * waiting turn the result as the answer to its tool call, which wakes the turn.
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
    const answer = answerOf(work);
    if (answer === null) continue;
    lines.push(answer);
    wakened.push({ task_id: work.row.id, turn_id: answer.turn_id });
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

function answerOf({
  row,
  state,
  ended,
}: TaskWork): Extract<SessionLine, { kind: 'message' }> | null {
  if (!ended || !row.turn_waits || row.turn_id === null || row.tool_call_id === null) return null;
  return {
    kind: 'message',
    turn_id: row.turn_id,
    message: {
      role: 'tool',
      content: state.summary ?? `Task ${state.status}.`,
      tool_call_id: row.tool_call_id,
      tool_name: 'delegate_task',
    },
  };
}

async function wakeTurns(
  client: pg.ClientBase,
  wakened: { task_id: string; turn_id: string }[],
): Promise<Ring[]> {
  if (wakened.length === 0) return [];
  const { rows } = await client.query<{ id: string; epoch: number }>({
    name: 'wake-turns',
    text: `WITH answered AS (UPDATE tasks SET turn_waits = false WHERE id = ANY($1))
      UPDATE units SET status = 'waiting', rung_at = now(), updated_at = now()
      WHERE id = ANY($2) AND status = 'parked' RETURNING id, epoch`,
    values: [wakened.map(({ task_id }) => task_id), wakened.map(({ turn_id }) => turn_id)],
  });
  return rows.map(({ id, epoch }) => ({ queue: 'turns', unit_id: id, epoch }));
}
