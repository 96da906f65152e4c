import { insertTask } from '@loom/db/insert-task';
import { inTransaction } from '@loom/db/transaction';
import type { CreateTurn } from '@loom/shared/api';
import { configSchema } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { Intake } from '@loom/shared/intake';
import { taskPolicy } from '@loom/shared/task-policy';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from './create-runtime.ts';
import { createIntake } from './intake.ts';
import { startWorker, type UnitHandler, type Worker } from './start-worker.ts';
import { caller, openWorld } from './test-support/runtime-world.ts';
import { fired, writeTurn } from './test-support/turn-handler.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let runtime: Runtime;
let intake: Intake;
let worker: Worker;
let close: () => Promise<void>;
/** What turns do; each test sets its own. */
let handler: UnitHandler;

beforeAll(async () => {
  world = await openWorld();
  ({ runtime, close } = await world.openRuntime(3));
  intake = createIntake(runtime);
  worker = startWorker(runtime, { turns: (unit, context) => handler(unit, context) });
});
afterAll(async () => {
  await worker.stop();
  await close();
  await world.drop();
});

const newSession = async () => (await intake.createSession(caller, {}, null)).body.id;
const send = async (session: string, content: string, if_busy: CreateTurn['if_busy'] = 'queue') =>
  (await intake.acceptTurn(caller, session, { content, if_busy }, null)).body;
const finish: UnitHandler = async (unit) => {
  await writeTurn(runtime, unit, { input: { kind: 'finished' } });
};
/** Works until it is told to stop, then says so. */
const workUntilStopped: UnitHandler = async (unit, { signals }) => {
  await fired(signals.stop);
  await writeTurn(runtime, unit, { input: { kind: 'stopped' } });
};

async function statusOf(turnId: string): Promise<string | undefined> {
  const rows = await world.rows<{ status: string }>('SELECT status FROM turns WHERE id = $1', [
    turnId,
  ]);
  return rows[0]?.status;
}

/** Resolves when a turn has this status; every change of a turn wakes its session's stream. */
async function untilStatus(turnId: string, status: string): Promise<void> {
  for (;;) {
    const woken = new Promise<void>((resolve) => {
      const stop = runtime.bus.subscribe(() => {
        stop();
        resolve();
      });
    });
    if ((await statusOf(turnId)) === status) return;
    await woken;
  }
}

/** A turn that waits for a task that nobody works on. */
async function parkOnTask(session: string): Promise<{ turn_id: string; task_id: string }> {
  const task_id = newId('task');
  handler = async (unit) => {
    const origin = {
      id: task_id,
      tenant_id: unit.tenant_id,
      turn_id: unit.turn_id,
      tool_call_id: 'call_1',
      turn_waits: true,
      depth: 0,
      max_parallel: 5,
      policy: taskPolicy(configSchema.parse({}), { in_session: true }),
    };
    const { plan: _, ...task } = newTask({ session_id: session });
    await inTransaction(runtime.db, (client) => insertTask(client, task, origin));
    await writeTurn(runtime, unit, { input: { kind: 'parked', on: 'task' } });
  };
  const { turn_id } = await send(session, 'delegate it');
  await untilStatus(turn_id, 'awaiting_task');
  return { turn_id, task_id };
}

test('20 racing messages run one at a time, in the order of their numbers', async () => {
  const session = await newSession();
  const begun: string[] = [];
  let active = 0;
  let most = 0;
  handler = async (unit) => {
    active += 1;
    most = Math.max(most, active);
    begun.push(unit.unit_id);
    const answer = { role: 'assistant', content: 'done' } as const;
    await writeTurn(runtime, unit, { messages: [answer] });
    active -= 1;
    await finish(unit, null as never);
  };
  const sent = await Promise.all(Array.from({ length: 20 }, (_, n) => send(session, `${n}`)));
  const ordered = sent.toSorted((a, b) => a.message_number - b.message_number);
  const last = ordered.at(-1);
  await untilStatus(last?.turn_id ?? '', 'completed');
  expect(begun).toEqual(ordered.map(({ turn_id }) => turn_id));
  expect(most).toBe(1);
  const numbers = await world.rows<{ number: number }>(
    'SELECT number FROM messages WHERE session_id = $1 ORDER BY number',
    [session],
  );
  expect(numbers.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
});

describe('cancelling', () => {
  test('a running turn stops, a queued one never starts, and the one behind them runs', async () => {
    const session = await newSession();
    const begun: string[] = [];
    handler = async (unit, context) => {
      begun.push(unit.unit_id);
      await (begun.length === 1 ? workUntilStopped : finish)(unit, context);
    };
    const running = await send(session, 'first');
    await untilStatus(running.turn_id, 'running');
    const queued = await send(session, 'second');
    const next = await send(session, 'third');
    await intake.cancelTurn(caller, session, queued.turn_id);
    expect(await statusOf(queued.turn_id)).toBe('cancelled');
    await intake.cancelTurn(caller, session, running.turn_id);
    await untilStatus(next.turn_id, 'completed');
    expect(await statusOf(running.turn_id)).toBe('cancelled');
    expect(begun).toEqual([running.turn_id, next.turn_id]);
  });

  test('a parked turn ends at once, and so does the task that it waited for', async () => {
    const session = await newSession();
    const { turn_id, task_id } = await parkOnTask(session);
    handler = finish;
    const next = await send(session, 'next');
    await intake.cancelTurn(caller, session, turn_id);
    expect(await statusOf(turn_id)).toBe('cancelled');
    expect(await world.statusOf(task_id)).toBe('cancelled');
    await untilStatus(next.turn_id, 'completed');
    expect(await statusOf(turn_id)).toBe('cancelled');
    const units = await world.rows('SELECT status FROM units WHERE id = $1', [turn_id]);
    expect(units).toEqual([{ status: 'withdrawn' }]);
  });

  test('a turn that has ended stays as it ended', async () => {
    const session = await newSession();
    handler = finish;
    const { turn_id } = await send(session, 'quick');
    await untilStatus(turn_id, 'completed');
    const log = 'SELECT seq FROM session_events WHERE session_id = $1';
    const before = await world.rows(log, [session]);
    await intake.cancelTurn(caller, session, turn_id);
    expect(await statusOf(turn_id)).toBe('completed');
    expect(await world.rows(log, [session])).toEqual(before);
  });
});

describe('a message to a busy session', () => {
  test('interrupts what runs and what waits, and is the next to run', async () => {
    const session = await newSession();
    const begun: string[] = [];
    handler = async (unit, context) => {
      begun.push(unit.unit_id);
      await (begun.length === 1 ? workUntilStopped : finish)(unit, context);
    };
    const running = await send(session, 'first');
    await untilStatus(running.turn_id, 'running');
    const queued = await send(session, 'second');
    const urgent = await send(session, 'stop, do this', 'interrupt');
    await untilStatus(urgent.turn_id, 'completed');
    expect([await statusOf(running.turn_id), await statusOf(queued.turn_id)]).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(begun).toEqual([running.turn_id, urgent.turn_id]);
  });

  test('steers the turn that runs, not one that waits, and wakes readers of the session', async () => {
    const session = await newSession();
    handler = workUntilStopped;
    const running = await send(session, 'first');
    await untilStatus(running.turn_id, 'running');
    const queued = await send(session, 'second');
    const woken = new Promise<void>((resolve) => {
      const stop = runtime.bus.subscribe((wake) => {
        if (wake.kind !== 'streams' || !wake.ids.includes(session)) return;
        stop();
        resolve();
      });
    });
    const steered = await send(session, 'by the way', 'steer');
    expect(steered).toMatchObject({ turn_id: running.turn_id, message_number: 3 });
    await woken;
    handler = finish;
    await intake.cancelTurn(caller, session, running.turn_id);
    await untilStatus(queued.turn_id, 'completed');
    const sql = `SELECT content FROM messages WHERE turn_id = $1 ORDER BY number`;
    expect(await world.rows(sql, [running.turn_id])).toEqual([
      { content: 'first' },
      { content: 'by the way' },
    ]);
  });

  test('steers once, however often the same request comes', async () => {
    const session = await newSession();
    handler = workUntilStopped;
    const running = await send(session, 'first');
    await untilStatus(running.turn_id, 'running');
    const input = { content: 'hm', if_busy: 'steer' } as const;
    const key = { key: 'k1', request_hash: 'h' };
    const one = await intake.acceptTurn(caller, session, input, key);
    const two = await intake.acceptTurn(caller, session, input, key);
    expect([two.body, two.replayed]).toEqual([one.body, true]);
    await intake.cancelTurn(caller, session, running.turn_id);
    await untilStatus(running.turn_id, 'cancelled');
  });

  test('is rejected if it asks for that, and leaves nothing', async () => {
    const session = await newSession();
    handler = workUntilStopped;
    const running = await send(session, 'first');
    await untilStatus(running.turn_id, 'running');
    await expect(send(session, 'second', 'reject')).rejects.toMatchObject({
      code: 'session_busy',
      details: { turn_id: running.turn_id },
    });
    const messages = await world.rows('SELECT content FROM messages WHERE session_id = $1', [
      session,
    ]);
    expect(messages).toEqual([{ content: 'first' }]);
    await intake.cancelTurn(caller, session, running.turn_id);
    await untilStatus(running.turn_id, 'cancelled');
  });
});

describe('an ended session', () => {
  test('stops what runs, waits or is parked, with its tasks, and takes nothing more', async () => {
    const session = await newSession();
    const { turn_id, task_id } = await parkOnTask(session);
    const queued = await send(session, 'queued');
    await intake.endSession(caller, session);
    expect([await statusOf(turn_id), await statusOf(queued.turn_id)]).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(await world.statusOf(task_id)).toBe('cancelled');
    await expect(send(session, 'hello?')).rejects.toMatchObject({ code: 'session_ended' });
    await intake.endSession(caller, session);
    const ends = await world.rows(
      `SELECT 1 FROM session_events WHERE session_id = $1 AND type = 'session.end'`,
      [session],
    );
    expect(ends).toHaveLength(1);
  });

  test('lets a running turn stop', async () => {
    const session = await newSession();
    handler = workUntilStopped;
    const { turn_id } = await send(session, 'first');
    await untilStatus(turn_id, 'running');
    await intake.endSession(caller, session);
    await untilStatus(turn_id, 'cancelled');
  });
});

test("another tenant's sessions, turns and tasks are not there", async () => {
  const session = await newSession();
  handler = finish;
  const { turn_id } = await send(session, 'mine');
  await untilStatus(turn_id, 'completed');
  const { body } = await intake.createTask(caller, newTask(), null);
  const stranger = { tenant_id: 'other', actor: 'key_other' };
  const input = { content: 'yours?', if_busy: 'interrupt' } as const;
  const attempts = [
    () => intake.acceptTurn(stranger, session, input, null),
    () => intake.cancelTurn(stranger, session, turn_id),
    () => intake.endSession(stranger, session),
    () => intake.stopTask(stranger, body.id, 'abort'),
    () => intake.retryTask(stranger, body.id, { subtask_id: null, reuse_existing_plan: true }),
  ];
  for (const attempt of attempts) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await intake.retryUnit(stranger, turn_id, 'test')).toBeNull();
  await expect(intake.cancelTurn(caller, await newSession(), turn_id)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await world.statusOf(body.id)).not.toBe('cancelled');
  const rows = await world.rows('SELECT status FROM sessions WHERE id = $1', [session]);
  expect(rows).toEqual([{ status: 'active' }]);
  await intake.stopTask(caller, body.id, 'abort');
});
