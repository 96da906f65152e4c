import type { Intake } from '@loom/shared/intake';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from './create-runtime.ts';
import { createIntake } from './intake.ts';
import { startWorker, type Worker } from './start-worker.ts';
import { caller, easyHandlers, onePlan, openWorld } from './test-support/runtime-world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let runtime: Runtime;
let intake: Intake;
let worker: Worker;
let close: () => Promise<void>;
let isPoisoned = true;
const seen: string[] = [];

beforeAll(async () => {
  world = await openWorld();
  ({ runtime, close } = await world.openRuntime(2, { ring_again_seconds: 0.2 }));
  intake = createIntake(runtime);
  const easy = easyHandlers(seen);
  worker = startWorker(runtime, {
    ...easy,
    subtasks: async (unit, context) => {
      if (isPoisoned) throw new Error('poison');
      await easy.subtasks?.(unit, context);
    },
  });
});
afterAll(async () => {
  await worker.stop();
  await close();
  await world.drop();
});

const code = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' ? String(result.reason.code) : 'retried';
const deadUnits = async (taskId: string) =>
  (
    await world.rows<{ id: string }>(
      `SELECT id FROM units WHERE task_id = $1 AND status = 'dead'`,
      [taskId],
    )
  ).map(({ id }) => id);

test('two operators who retry a dead letter at once start one new attempt', async () => {
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('p') }), null);
  await world.untilEnded(runtime, [body.id]);
  const unitId = `${body.id}.p.1`;
  expect(await deadUnits(body.id)).toEqual([unitId]);

  isPoisoned = false;
  const results = await Promise.allSettled([
    intake.retryUnit(caller, unitId, 'test'),
    intake.retryUnit(caller, unitId, 'test'),
  ]);
  expect(results.map(code).toSorted()).toEqual(['conflict', 'retried']);
  await world.untilEnded(runtime, [body.id]);
  expect(await world.statusOf(body.id)).toBe('completed');
  expect(seen).toEqual([`${body.id}.p.2`]);
  expect(await deadUnits(body.id)).toEqual([]);
  const types = await world.eventTypes(body.id);
  expect(types.filter((type) => type === 'task.retried')).toHaveLength(1);

  const third = await Promise.allSettled([intake.retryUnit(caller, unitId, 'test')]);
  expect(third.map(code)).toEqual(['conflict']);
  expect(await world.statusOf(body.id)).toBe('completed');
});

test('a unit that is not there is null, and one that is not dead is a conflict', async () => {
  expect(await intake.retryUnit(caller, 'task_none.p.1', 'test')).toBeNull();
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('q') }), null);
  await world.untilEnded(runtime, [body.id]);
  const before = await world.eventTypes(body.id);
  await expect(intake.retryUnit(caller, `${body.id}.q.1`, 'test')).rejects.toMatchObject({
    code: 'conflict',
    message: 'The unit is done; only a dead one can be retried.',
  });
  expect(await world.eventTypes(body.id)).toEqual(before);
});
