import { AppError } from '@loom/shared/app-error';
import { planSchema } from '@loom/shared/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { call, openAttemptWorld, type Runner } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;

beforeAll(async () => {
  attempts = await openAttemptWorld([
    {
      name: 'hang',
      description: 'waits until it is told to end',
      effect: 'read',
      timeout_ms: 60_000,
      input: z.object({}),
      unavailable: () => null,
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    },
  ]);
});
afterAll(() => attempts.world.drop());

async function withRunner(settings: object, run: (runner: Runner) => Promise<void>) {
  const runner = await attempts.startRunner({ limits: { runner: settings } });
  await run(runner).finally(() => runner.stop());
}

/** A reply during which the owner loses the unit. */
const changeOwner = (runner: Runner) => async (task: string) => {
  runner.runtime.keeper.yield(`${task}.a.1`);
  return new Error('aborted');
};

test('model calls are counted in the attempt, whoever makes them', () =>
  withRunner({ max_tool_iterations: 2 }, async (runner) => {
    const task = await attempts.begin(runner, [
      reply('', call('1', 'put', 'x')),
      changeOwner(runner),
      reply('', call('2', 'put', 'y')),
      reply('never asked'),
    ]);
    await attempts.untilEvent(task, 'subtask.failed');
    expect((await attempts.unit(task))?.epoch).toBe(2);
    expect(attempts.deeds).toEqual(['put x', 'put y']);
    expect(attempts.asked()).toHaveLength(3);
    expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'iterations_exhausted' } });
  }));

test('time is counted from the beginning of the attempt, whoever holds it', () =>
  withRunner({ max_subtask_wall_clock_seconds: 300 }, async (runner) => {
    const task = await attempts.begin(runner, [
      reply('', call('1', 'put', 'x')),
      async (task) => {
        await attempts.world.rows(
          `UPDATE attempts SET started_at = started_at - interval '301 seconds' WHERE task_id = $1`,
          [task],
        );
        return changeOwner(runner)(task);
      },
      reply('never asked'),
    ]);
    await attempts.untilEvent(task, 'subtask.failed');
    expect(attempts.asked()).toHaveLength(2);
    expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'time_exhausted' } });
  }));

test('a model that never answers does not outlast the attempt', () =>
  withRunner({ max_subtask_wall_clock_seconds: 1 }, async (runner) => {
    const hang = () =>
      new Promise<Error>((resolve) => {
        const request = attempts.asked().at(-1);
        request?.signal?.addEventListener('abort', () =>
          resolve(new AppError('cancelled', 'The model call was cancelled.')),
        );
      });
    const task = await attempts.begin(runner, [hang]);
    await attempts.untilEvent(task, 'subtask.failed');
    expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'time_exhausted' } });
    expect(await attempts.events(task, 'model.parked')).toEqual([]);
  }));

test('neither does a tool that never ends', () =>
  withRunner({ max_subtask_wall_clock_seconds: 1 }, async (runner) => {
    const task = await attempts.begin(runner, [reply('', call('1', 'hang', {})), reply('never')]);
    await attempts.untilEvent(task, 'subtask.failed');
    expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'time_exhausted' } });
  }));

test('each attempt has its own limits', () =>
  withRunner({ max_tool_iterations: 1 }, async (runner) => {
    const plan = planSchema.parse({
      subtasks: [{ id: 'a', description: 'do it', max_retries: 3 }],
    });
    const task = await attempts.begin(runner, [reply('', call('1', 'put', 'x')), reply('done')], {
      plan,
    });
    await attempts.untilStatus(task, 'completed');
    expect(await attempts.events(task, 'subtask.retrying')).toMatchObject([
      { data: { code: 'iterations_exhausted' } },
    ]);
  }));

test('what every call used is counted once, also when the unit changes hands', () =>
  withRunner({}, async (runner) => {
    const used = (input_tokens: number, output_tokens: number, text: string, id?: string) => ({
      ...reply(text, ...(id === undefined ? [] : [call(id, 'put', id)])),
      usage: { input_tokens, output_tokens },
      cost_micros: input_tokens,
    });
    const task = await attempts.begin(runner, [
      used(1_000, 20, '', 'x'),
      changeOwner(runner),
      used(3_000, 40, '', 'y'),
      used(5_000, 60, 'done'),
    ]);
    await attempts.untilStatus(task, 'completed');
    const [row] = await attempts.world.rows(
      'SELECT tokens_used, cost_micros, model_calls FROM tasks WHERE id = $1',
      [task],
    );
    expect(row).toMatchObject({ tokens_used: 9_120, model_calls: 3 });
    expect(Number(row?.cost_micros)).toBe(9_000);
    const calls = await attempts.events(task, 'model.call');
    expect(calls.map(({ data }) => data.input_tokens)).toEqual([1_000, 3_000, 5_000]);
  }));
