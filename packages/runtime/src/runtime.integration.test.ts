import { nothingSpent } from '@loom/shared/budget';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntake } from './intake.ts';
import { startWorker, type UnitHandlers } from './start-worker.ts';
import { caller, easyHandlers, onePlan, openWorld } from './test-support/runtime-world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.drop());

test('tasks run to their end, planned and verified, each unit once', async () => {
  const { runtime, close } = await world.openRuntime(4);
  const seen: string[] = [];
  const worker = startWorker(runtime, easyHandlers(seen));
  const intake = createIntake(runtime);
  const ids: string[] = [];
  const accepted = await Promise.all(
    Array.from({ length: 10 }, () => intake.createTask(caller, newTask(), null)),
  );
  ids.push(...accepted.map(({ body }) => body.id));
  await world.untilEnded(runtime, ids);
  await worker.stop();
  await close();
  const tasks = await world.rows<{ status: string; verification: string; last_seq: number }>(
    'SELECT status, verification, last_seq FROM tasks',
  );
  expect(tasks.map(({ status }) => status)).toEqual(Array(10).fill('completed'));
  expect(new Set(tasks.map(({ verification }) => verification))).toEqual(new Set(['verified']));
  expect(seen).toHaveLength(40);
  expect(new Set(seen).size).toBe(40);
  const holes = await world.rows(
    'SELECT task_id FROM events GROUP BY task_id HAVING max(seq) <> count(*) OR min(seq) <> 1',
  );
  expect(holes).toEqual([]);
  const left = await world.rows(`SELECT id, status FROM units WHERE status <> 'done'`);
  expect(left).toEqual([]);
});

test('a unit whose worker went silent is taken over, and the silent one is refused', async () => {
  const silent = await world.openRuntime(1);
  const intake = createIntake(silent.runtime);
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('x') }), null);
  // Claimed by a process that never renews its lease: no keeper holds the unit.
  const unit_id = `${body.id}.x.1`;
  const claim = await silent.runtime.committer.add({
    kind: 'claim',
    task_id: body.id,
    unit_id,
    epoch: 0,
  });
  expect(claim.outcome).toBe('claimed');

  const live = await world.openRuntime(2);
  const seen: string[] = [];
  const ended = world.untilEnded(live.runtime, [body.id]);
  const worker = startWorker(live.runtime, easyHandlers(seen));
  await ended;
  expect(seen).toEqual([unit_id]);
  const zombie = await silent.runtime.committer.add({
    kind: 'work',
    task_id: body.id,
    fence: { unit_id, epoch: 1 },
    journal: [{ role: 'assistant', content: 'from the grave' }],
    journal_from: 7,
    ledger: [],
    events: [],
    spent: nothingSpent,
    actions: [],
    wants: null,
    park: null,
    model: null,
    input: {
      kind: 'attempt_failed',
      subtask_id: 'x',
      attempt: 1,
      failure: { code: 'x', message: 'x' },
    },
  });
  expect(zombie).toEqual({ outcome: 'refused' });
  expect(await world.statusOf(body.id)).toBe('completed');
  const types = await world.eventTypes(body.id);
  expect(types).toContain('run.recovered');
  expect(types.at(-1)).toBe('task.completed');
  await worker.stop();
  await live.close();
  await silent.close();
});

test('a unit that kills whoever starts it becomes a dead letter after three starts', async () => {
  const { runtime, close } = await world.openRuntime(2);
  const intake = createIntake(runtime);
  let starts = 0;
  const handlers: UnitHandlers = {
    ...easyHandlers([]),
    subtasks: async () => {
      starts += 1;
      throw new Error('poison');
    },
  };
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('p') }), null);
  const ended = world.untilEnded(runtime, [body.id]);
  const worker = startWorker(runtime, handlers);
  await ended;
  expect(starts).toBe(3);
  expect(await world.statusOf(body.id)).toBe('failed');
  const [dead] = await world.rows<{ dead_reason: string; starts: number }>(
    `SELECT dead_reason, starts FROM units WHERE task_id = $1 AND status = 'dead'`,
    [body.id],
  );
  expect(dead).toEqual({
    starts: 3,
    dead_reason: 'started 3 times without progress: poison',
  });
  await worker.stop();
  await close();
});

test('an aborted task refuses the writes of whoever is still at work', async () => {
  const { runtime, close } = await world.openRuntime(2);
  const intake = createIntake(runtime);
  let begun: () => void = () => undefined;
  const atWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let aborted = false;
  let refused = false;
  const worker = startWorker(runtime, {
    ...easyHandlers([]),
    subtasks: async (_unit, context) => {
      begun();
      await new Promise<void>((resolve) =>
        context.signals.abort.addEventListener('abort', () => resolve(), { once: true }),
      );
      aborted = true;
      await context.commit({ journal: [{ role: 'assistant', content: 'late' }] }).catch(() => {
        refused = true;
      });
    },
  });
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('s') }), null);
  await atWork;
  await intake.stopTask(caller, body.id, 'abort');
  expect(await world.statusOf(body.id)).toBe('cancelled');
  await worker.stop();
  expect({ aborted, refused }).toEqual({ aborted: true, refused: true });
  const late = await world.rows('SELECT 1 FROM attempt_messages WHERE unit_id LIKE $1', [
    `${body.id}%`,
  ]);
  expect(late).toEqual([]);
  expect((await world.eventTypes(body.id)).at(-1)).toBe('task.cancelled');
  await close();
});

test('a stopping worker gives its unit back, and another goes on', async () => {
  const first = await world.openRuntime(1);
  const intake = createIntake(first.runtime);
  let begun: () => void = () => undefined;
  const atWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const leaving = startWorker(first.runtime, {
    ...easyHandlers([]),
    subtasks: async (_unit, context) => {
      begun();
      await new Promise<void>((resolve) =>
        context.signals.drain.addEventListener('abort', () => resolve(), { once: true }),
      );
      context.checkpoint();
    },
  });
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('d') }), null);
  await atWork;
  await leaving.stop();
  const second = await world.openRuntime(1);
  const ended = world.untilEnded(second.runtime, [body.id]);
  const worker = startWorker(second.runtime, easyHandlers([]));
  await ended;
  expect(await world.statusOf(body.id)).toBe('completed');
  const [unit] = await world.rows<{ epoch: number }>('SELECT epoch FROM units WHERE id = $1', [
    `${body.id}.d.1`,
  ]);
  expect(unit?.epoch).toBe(2);
  await worker.stop();
  await second.close();
  await first.close();
});
