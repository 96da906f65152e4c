import { decideTask } from '@loom/engine/decide-task';
import { decideTurn } from '@loom/engine/decide-turn';
import type { CreateTurn } from '@loom/shared/api';
import { newId } from '@loom/shared/ids';
import type { TaskInput } from '@loom/shared/task-state';
import { createTestDatabase } from '@loom/testing/test-database';
import { acceptTurn } from '../accept-turn.ts';
import { claimTurn } from '../claim-turn.ts';
import { commitTaskInput } from '../commit-tasks.ts';
import { commitTurn, type TurnChange } from '../commit-turn.ts';
import { insertTask } from '../insert-task.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { insertSession } from '../write-session.ts';

export const maxStarts = 3;

/** Who owns a turn right now. */
export interface OwnedTurn {
  session_id: string;
  turn_id: string;
  epoch: number;
}

/** A database with two tenants, and the steps of a turn's life, each one transaction. */
export async function openTurnWorld() {
  const test_db = await createTestDatabase();
  const { database: db, rows } = test_db;
  await rows(`INSERT INTO tenants (id) VALUES ('default'), ('other')`);

  const newSession = async (tenant_id = 'default'): Promise<string> => {
    const id = newId('ses');
    await inTransaction(db, (client) => insertSession(client, { id, tenant_id, input: {} }));
    return id;
  };

  const send = (
    session_id: string,
    content: string,
    if_busy: CreateTurn['if_busy'] = 'queue',
    tenant_id = 'default',
  ) =>
    inTransaction(db, (client) =>
      acceptTurn(client, {
        tenant_id,
        actor: 'key_test',
        session_id,
        turn_id: newId('turn'),
        input: { content, if_busy },
        decide: decideTurn,
      }),
    );

  const claim = (turn_id: string, epoch: number) =>
    claimTurn(db, {
      turn_id,
      epoch,
      owner: 'wrk_test',
      lease_seconds: 30,
      max_starts: maxStarts,
      decide: decideTurn,
    });

  /** Sends and claims in one step. */
  const begin = async (session_id: string, content = 'hello'): Promise<OwnedTurn> => {
    const { accepted } = await send(session_id, content);
    const claimed = await claim(accepted.turn_id, 0);
    if (claimed.outcome !== 'claimed') throw new Error(`not claimed: ${claimed.outcome}`);
    return { session_id, turn_id: accepted.turn_id, epoch: claimed.unit.epoch };
  };

  const commit = (
    { session_id, turn_id, epoch }: OwnedTurn,
    change: Partial<TurnChange>,
    also?: (client: Transaction) => Promise<void>,
  ) =>
    commitTurn(
      db,
      {
        tenant_id: 'default',
        session_id,
        turn_id,
        fence: { unit_id: turn_id, epoch },
        messages: [],
        ledger: [],
        events: [],
        usage: { tokens: 0, model_calls: 0, tool_calls: 0 },
        input: null,
        awaiting_call_id: null,
        ...change,
      },
      decideTurn,
      also,
    );

  const control = (client: Transaction, task_id: string, input: TaskInput) =>
    commitTaskInput(client, { kind: 'control', task_id, tenant_id: 'default', input }, decideTask);

  /** Delegates as a turn does: the call, then its task, whose result the turn waits for. */
  const delegate = async (turn: OwnedTurn, callId: string): Promise<string> => {
    const id = newId('task');
    const tool_calls = [{ id: callId, name: 'delegate_task', arguments: { goal: 'g' } }];
    await commit(turn, { messages: [{ role: 'assistant', content: '', tool_calls }] });
    await commit(turn, {}, async (client) => {
      const task = {
        goal: 'g',
        context: {},
        workspace: null,
        process: null,
        approval_mode: 'auto',
        callback_url: null,
        budget: {},
        metadata: {},
        session_id: turn.session_id,
      };
      const origin = {
        id,
        tenant_id: 'default',
        turn_id: turn.turn_id,
        tool_call_id: callId,
        turn_waits: true,
        depth: 0,
        max_parallel: 5,
      };
      await insertTask(client, task, origin);
      await control(client, id, { kind: 'created', plan: null });
    });
    return id;
  };

  /** Ends a task the quick way; returns what is to be rung. */
  const endTask = async (taskId: string) => {
    const input = { kind: 'stop_requested', mode: 'abort', by: 'test' } as const;
    const { after } = await inTransaction(db, (client) => control(client, taskId, input));
    return after.rings;
  };

  const turnRow = async (id: string) =>
    (
      await rows<{ status: string; error: unknown }>(
        'SELECT status, error FROM turns WHERE id = $1',
        [id],
      )
    )[0];

  const unitRow = async (id: string) =>
    (
      await rows<{ status: string; epoch: number; starts: number; dead_reason: string | null }>(
        'SELECT status, epoch, starts, dead_reason FROM units WHERE id = $1',
        [id],
      )
    )[0];

  const messages = async (session_id: string) =>
    (
      await rows<{ line: string }>(
        `SELECT format('%s %s: %s', number, role, content) AS line
          FROM messages WHERE session_id = $1 ORDER BY number`,
        [session_id],
      )
    ).map(({ line }) => line);

  const events = async (session_id: string) =>
    (
      await rows<{ type: string }>(
        'SELECT type FROM session_events WHERE session_id = $1 ORDER BY seq',
        [session_id],
      )
    ).map(({ type }) => type);

  return {
    ...test_db,
    newSession,
    send,
    claim,
    begin,
    commit,
    delegate,
    endTask,
    turnRow,
    unitRow,
    messages,
    events,
  };
}

export type TurnWorld = Awaited<ReturnType<typeof openTurnWorld>>;
