import { jobId } from '@loom/queue/job-id';
import { stealLock } from '@loom/queue/test-support/steal-lock';
import { planSchema } from '@loom/shared/plan';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntake } from './intake.ts';
import { startWorker, type UnitHandlers } from './start-worker.ts';
import { caller, easyHandlers, onePlan, openWorld } from './test-support/runtime-world.ts';
import { fired, writeTurn } from './test-support/turn-handler.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.drop());

/** A process at work whose sweeper never rings again: whatever comes back does so by itself. */
async function openWorker(handlers: (seen: string[]) => UnitHandlers) {
  const { runtime, close } = await world.openRuntime(1, { ring_again_seconds: 3_600 });
  const seen: string[] = [];
  const worker = startWorker(runtime, handlers(seen));
  return {
    runtime,
    intake: createIntake(runtime),
    seen,
    stop: async () => {
      await worker.stop();
      await close();
    },
  };
}

test('a job whose claim fails comes back by itself, and its unit is not stranded', async () => {
  const { runtime, intake, seen, stop } = await openWorker((list) => ({
    ...easyHandlers(list),
    turns: async (unit) => {
      list.push(unit.unit_id);
      await writeTurn(runtime, unit, { input: { kind: 'finished' } });
    },
  }));
  const subtasks = runtime.ringer.queue('subtasks');
  const turns = runtime.ringer.queue('turns');
  await Promise.all([subtasks.pause(), turns.pause()]);
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('x') }), null);
  const session = (await intake.createSession(caller, {}, null)).body.id;
  const input = { content: 'hello', if_busy: 'queue' } as const;
  const turn = (await intake.acceptTurn(caller, session, input, null)).body;
  await world.rows('ALTER TABLE units RENAME TO units_away');
  await Promise.all([subtasks.resume(), turns.resume()]);
  const delayed = async () =>
    (await Promise.all([subtasks, turns].map((queue) => queue.getDelayedCount()))).every(
      (count) => count === 1,
    );
  while (!(await delayed()));
  expect(seen).toEqual([]);
  await world.rows('ALTER TABLE units_away RENAME TO units');
  await world.untilEnded(runtime, [body.id]);
  const turnStatus = () => world.rows('SELECT status FROM turns WHERE id = $1', [turn.turn_id]);
  while (JSON.stringify(await turnStatus()) !== '[{"status":"completed"}]');
  expect(await world.statusOf(body.id)).toBe('completed');
  expect(seen.toSorted()).toEqual([`${body.id}.x.1`, turn.turn_id].toSorted());
  expect([runtime.slots.active('subtasks'), runtime.slots.active('turns')]).toEqual([0, 0]);
  await stop();
});

test('a handler whose job lost its lock gives the unit back, and it is done once', async () => {
  let begun: () => void = () => undefined;
  const atWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const starts: number[] = [];
  const { runtime, intake, seen, stop } = await openWorker((list) => ({
    ...easyHandlers(list),
    subtasks: async (unit, context) => {
      starts.push(unit.epoch);
      if (starts.length > 1) return easyHandlers(list).subtasks?.(unit, context);
      begun();
      await fired(context.signals.abort);
      context.checkpoint();
    },
  }));
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('x') }), null);
  await atWork;
  const unit_id = `${body.id}.x.1`;
  const job = jobId({ queue: 'subtasks', unit_id, epoch: 0 });
  await stealLock(world, runtime.ringer.queue('subtasks'), job);
  await world.untilEnded(runtime, [body.id]);
  expect(starts).toEqual([1, 2]);
  expect(seen).toEqual([unit_id]);
  expect(await world.statusOf(body.id)).toBe('completed');
  await stop();
});

test('a subtask may be called as a unit of its task is: plan', async () => {
  const plan = planSchema.parse({ subtasks: [{ id: 'plan', description: 'plan the party' }] });
  const { runtime, intake, seen, stop } = await openWorker((list) => ({
    ...easyHandlers(list),
    plans: ({ attempt }, context) =>
      context.commit({ input: { kind: 'plan_made', attempt: attempt ?? 0, plan } }).then(() => {}),
  }));
  const { body } = await intake.createTask(caller, newTask(), null);
  await world.untilEnded(runtime, [body.id]);
  expect(await world.statusOf(body.id)).toBe('completed');
  expect(seen).toEqual([`${body.id}.plan.1`]);
  await stop();
});
