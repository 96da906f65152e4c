import type { ApprovalMode } from '@loom/shared/approval';
import type { Wants } from '@loom/shared/budget';
import type { ChatMessage } from '@loom/shared/chat';
import { type SessionState, sessionStateSchema } from '@loom/shared/session-state';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';
import { type StoredLine, toChatMessage } from './load-journal.ts';

/** A message of the archive with its place in it. */
export interface ArchivedMessage {
  number: number;
  turn_id: string | null;
  token_count: number;
  message: ChatMessage;
}

/** What a worker needs to know of the turn it runs. */
export interface TurnBrief {
  workspace: string | null;
  model: string | null;
  system_prompt: string | null;
  model_calls: number;
  approval_mode: ApprovalMode;
  /** Tools that a person freed for the session. */
  granted_tools: string[];
  /** Directories beside the workspace that a person lets its calls read. */
  read_roots: string[];
  /** Whether a person lets its commands use the network, where the operator leaves that to grants. */
  network: boolean;
  /** Some budget limits its calls: it asks before it makes them. */
  metered: boolean;
  /** What it was granted and has not yet spent, perhaps by asking through an earlier owner. */
  held: Wants | null;
  /** How long it has been parked for its model so far, and how often in a row. */
  parked_seconds: number;
  model_parks: number;
  /** Someone asked it to stop before it was loaded; later requests come by the bus. */
  cancel_requested: boolean;
  message_count: number;
  /** What the conversation had come to when a turn of it last ended. */
  state: SessionState;
  /** All of this turn and the newest of the turns before it, oldest first; the rest stays in the archive. */
  recent: ArchivedMessage[];
  /** Tasks of the session that have not ended, oldest first. */
  delegations: OpenDelegation[];
}

/** A task of a session that has not ended. */
export interface OpenDelegation {
  task_id: string;
  goal: string;
  status: string;
  done: number;
  subtasks: number;
}

/** More than this many messages of earlier turns never fit a context window. */
const maxRecent = 500;
/** Nor more text than this, which is never read: few messages can be as long as many. */
const maxRecentTokens = 2_000_000;

const columns = `number, turn_id, token_count, role, content, tool_calls, tool_call_id, tool_name, failed`;

/** Loads a turn with what was said before it; what waits in later turns is left out, however much it is. */
export async function loadTurn(db: Database, unit: ClaimedUnit): Promise<TurnBrief | null> {
  const session = db.pool.query<Omit<TurnBrief, 'recent' | 'delegations'>>({
    name: 'load-turn',
    text: `SELECT s.workspace, s.model, s.system_prompt, t.model_calls, t.cancel_requested, s.approval_mode,
        jsonb_path_query_array(g.grants, 'strict $.tools[*] ? (@.type() == "string")', '{}', true) AS granted_tools,
        jsonb_path_query_array(g.grants, 'strict $.read_roots[*] ? (@.type() == "string")', '{}', true) AS read_roots,
        g.grants @> '{"network": true}' AS network,
        EXISTS (SELECT 1 FROM budgets b WHERE b.id IN (t.session_id, t.tenant_id)) AS metered,
        t.held, u.parked_seconds, u.model_parks, s.last_message_number AS message_count, s.state
      FROM turns t JOIN sessions s ON s.id = t.session_id JOIN units u ON u.id = t.id,
        LATERAL (SELECT CASE WHEN s.status = 'active' THEN s.grants ELSE '{}' END AS grants) g
      WHERE t.id = $1 AND t.tenant_id = $2`,
    values: [unit.turn_id, unit.tenant_id],
  });
  const messages = db.pool.query<
    StoredLine & { number: number; turn_id: string | null; token_count: number }
  >({
    name: 'load-turn-messages',
    text: `WITH later AS (SELECT o.id FROM turns o JOIN turns t ON t.id = $3
          AND o.session_id = t.session_id AND (o.created_at, o.id) > (t.created_at, t.id)),
      others AS (SELECT id FROM later UNION ALL SELECT $3),
      earlier AS (SELECT ${columns} FROM (
        SELECT ${columns}, sum(token_count) OVER (ORDER BY number DESC) - token_count AS tokens_after
        FROM messages WHERE session_id = $1 AND tenant_id = $2
          AND coalesce(turn_id, '') NOT IN (SELECT id FROM others)
          AND number > (SELECT last_message_number - ${maxRecent} FROM sessions WHERE id = $1)
            - (SELECT count(*) FROM messages WHERE turn_id IN (SELECT id FROM others))
        ORDER BY number DESC LIMIT ${maxRecent}) newest
        WHERE tokens_after < ${maxRecentTokens})
      SELECT ${columns} FROM messages WHERE turn_id = $3 AND tenant_id = $2
      UNION ALL SELECT ${columns} FROM earlier ORDER BY number`,
    values: [unit.session_id, unit.tenant_id, unit.turn_id],
  });
  const [{ rows: found }, { rows }, delegations] = await Promise.all([
    session,
    messages,
    loadDelegations(db, unit),
  ]);
  const [brief] = found;
  if (brief === undefined) return null;
  const recent = rows.map(({ number, turn_id, token_count, ...line }) => ({
    number,
    turn_id,
    token_count,
    message: toChatMessage(line),
  }));
  return { ...brief, state: sessionStateSchema.parse(brief.state), recent, delegations };
}

async function loadDelegations(db: Database, unit: ClaimedUnit): Promise<OpenDelegation[]> {
  const { rows } = await db.pool.query<OpenDelegation>({
    name: 'load-open-delegations',
    text: `SELECT t.id AS task_id, left(t.goal, 300) AS goal, t.status,
        count(s.id) FILTER (WHERE s.status = 'completed')::int AS done, count(s.id)::int AS subtasks
      FROM tasks t LEFT JOIN subtasks s ON s.task_id = t.id
      WHERE t.session_id = $1 AND t.tenant_id = $2 AND t.status NOT IN ('completed', 'failed', 'cancelled')
      GROUP BY t.id ORDER BY t.created_at, t.id LIMIT 20`,
    values: [unit.session_id, unit.tenant_id],
  });
  return rows;
}

/** Messages of a session behind a number and before another, oldest first. */
export async function loadMessagesBetween(
  db: Database,
  unit: ClaimedUnit,
  { after, before, limit }: { after: number; before: number; limit: number },
): Promise<{ number: number; message: ChatMessage }[]> {
  const { rows } = await db.pool.query<StoredLine & { number: number }>({
    name: 'load-messages-between',
    text: `SELECT number, role, content, tool_calls, tool_call_id, tool_name, failed FROM messages
      WHERE session_id = $1 AND tenant_id = $2 AND number > $3 AND number < $4 ORDER BY number LIMIT $5`,
    values: [unit.session_id, unit.tenant_id, after, before, limit],
  });
  return rows.map(({ number, ...line }) => ({ number, message: toChatMessage(line) }));
}
