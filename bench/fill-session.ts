import { appendToSessions, lockSessions, type SessionLine } from '@loom/db/append-to-sessions';
import type { Database } from '@loom/db/database';
import { inTransaction } from '@loom/db/transaction';
import { decideTurn } from '@loom/engine/decide-turn';
import { foldSessionState } from '@loom/engine/session-state/fold-session-state';
import type { ChatMessage } from '@loom/shared/chat';
import { emptySessionState } from '@loom/shared/session-state';
import type pg from 'pg';
import { makeConversation } from './make-conversation.ts';

const turnsAtOnce = 200;

/** More than any window holds; what lies before these is only there to be many. */
const newest = 10_000;

/** Gives an empty session a past of about so many messages, turn by turn, as the product would have stored it. */
export async function fillSession(
  db: Database,
  sessionId: string,
  messages: number,
): Promise<void> {
  const conversation = makeConversation(13);
  const older = Math.max(0, messages - newest);
  if (older > 0) await fillOlder(db, sessionId, older);
  let state = { ...emptySessionState, upto: older };
  for (let turn = 0; state.upto < messages; ) {
    const turns: WrittenTurn[] = [];
    let last = state.upto;
    while (turns.length < turnsAtOnce && last < messages) {
      const said = conversation.next().value;
      turns.push({ id: `turn_${sessionId}_${turn++}`, messages: said });
      last += said.length;
    }
    const first = state.upto + 1;
    const news = turns.flatMap((one) => one.messages);
    state = foldSessionState(
      state,
      news.map((message, index) => ({ number: first + index, message })),
    );
    const kept = JSON.stringify(state);
    await inTransaction(db, async (client) => {
      await writeTurns(client, sessionId, turns);
      await client.query('UPDATE sessions SET state = $2 WHERE id = $1', [sessionId, kept]);
    });
  }
}

/** Short questions and answers, two a turn, written at once. */
async function fillOlder(db: Database, sessionId: string, messages: number): Promise<void> {
  await db.pool.query(
    `WITH line AS (
       SELECT n, 'turn_' || $1 || '_older_' || (n + 1) / 2 AS turn_id FROM generate_series(1, $2::int) n),
     turn AS (
       INSERT INTO turns (id, tenant_id, session_id, status, created_at)
       SELECT DISTINCT turn_id, s.tenant_id, s.id, 'completed', now() - interval '1 day'
       FROM line, sessions s WHERE s.id = $1),
     counted AS (UPDATE sessions SET last_message_number = $2::int WHERE id = $1)
     INSERT INTO messages (session_id, number, tenant_id, turn_id, role, content, token_count)
     SELECT s.id, n, s.tenant_id, turn_id, CASE WHEN n % 2 = 1 THEN 'user' ELSE 'assistant' END,
       'Part ' || n || ' of a long conversation', 10
     FROM line, sessions s WHERE s.id = $1`,
    [sessionId, messages],
  );
}

interface WrittenTurn {
  id: string;
  messages: ChatMessage[];
}

async function writeTurns(
  client: pg.ClientBase,
  sessionId: string,
  turns: WrittenTurn[],
): Promise<void> {
  const session = (await lockSessions(client, [sessionId])).get(sessionId);
  if (session === undefined) throw new Error(`there is no session ${sessionId}`);
  await client.query(
    `WITH turn AS (
       INSERT INTO turns (id, tenant_id, session_id, status, model_calls, created_at, started_at, ended_at)
       SELECT id, $2, $3, 'completed', 1, clock_timestamp(), now(), now() FROM unnest($1::text[]) id
       RETURNING id)
     INSERT INTO units (id, tenant_id, queue, status, epoch, session_id, turn_id)
     SELECT id, $2, 'turns', 'done', 1, $3, id FROM turn`,
    [turns.map(({ id }) => id), session.tenant_id, sessionId],
  );
  const lines = turns.flatMap(({ id, messages }): SessionLine[] => {
    const [question, ...rest] = messages.map(
      (message): SessionLine => ({ kind: 'message', turn_id: id, message }),
    );
    return [
      ...eventsOf('accepted', id),
      ...(question === undefined ? [] : [question]),
      ...eventsOf('claimed', id),
      ...rest,
      ...eventsOf('finished', id),
    ];
  });
  await appendToSessions(client, [{ session, lines, tokens: 0 }]);
}

function eventsOf(kind: 'accepted' | 'claimed' | 'finished', turn_id: string): SessionLine[] {
  const status = kind === 'finished' ? 'running' : 'queued';
  const { events } = decideTurn({ status, cancel_requested: false }, { kind });
  return events.map((event) => ({ kind: 'event', event, turn_id, task_id: null }));
}
