import { createUnitContext } from '@loom/runtime/unit-context';
import { AppError } from '@loom/shared/app-error';
import { planSchema } from '@loom/shared/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, openAttemptWorld, type Runner } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;
let runner: Runner;

const quick = {
  execution: {
    model_park_base_delay_seconds: 0.2,
    model_park_max_delay_seconds: 0.4,
    max_parked_seconds: 2,
  },
};

beforeAll(async () => {
  attempts = await openAttemptWorld();
  runner = await attempts.startRunner(quick);
});
afterAll(async () => {
  await runner.stop();
  await attempts.world.drop();
});

const away = (details: Record<string, unknown> = {}) =>
  new AppError('model_rate_limited', 'too many requests', { retryable: true, details });

test('model and tools in turn, until text ends the attempt', async () => {
  const task = await attempts.begin(runner, [
    reply('first', call('1', 'look', 'x'), call('2', 'send', 'y')),
    reply('all is done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['look x', 'send y']);
  expect((await attempts.journal(task)).map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'assistant: first',
    'tool: look of x is done',
    'tool: send of y is done',
    'assistant: all is done',
  ]);
  const [row] = await attempts.world.rows(
    `SELECT tokens_used, model_calls, tool_calls, mutating_tool_calls, course->'actions' AS actions, files_changed
      FROM tasks WHERE id = $1`,
    [task],
  );
  expect(row).toEqual({
    tokens_used: 4,
    model_calls: 2,
    tool_calls: 2,
    mutating_tool_calls: 1,
    actions: { look: 1, send: 1 },
    files_changed: ['x.md', 'y.md'],
  });
});

test('a model that is away parks the attempt, which goes on by itself where it was', async () => {
  const task = await attempts.begin(runner, [
    reply('', call('1', 'send', 'x')),
    away(),
    away({ retry_after_ms: 300, model: 'big' }),
    reply('done after all'),
  ]);
  const parked = await attempts.untilEvent(task, 'model.parked', 2);
  expect(parked).toMatchObject([
    { reason: 'model_rate_limited', seconds: 0.2, role: 'executor', model: null },
    { reason: 'model_rate_limited', seconds: 0.3, role: 'executor', model: 'big' },
  ]);
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['send x']);
  const roles = (await attempts.journal(task)).map(({ role }) => role);
  expect(roles).toEqual(['assistant', 'tool', 'assistant']);
  expect(attempts.asked()[3]?.messages).toEqual(attempts.asked()[1]?.messages);
  expect(await attempts.events(task, 'run.recovered')).toEqual([]);
});

test('a model that stays away too long fails the attempt: all of its waits count', async () => {
  const task = await attempts.begin(runner, [
    away({ retry_after_ms: 300 }),
    away({ retry_after_ms: 1_900 }),
  ]);
  await attempts.untilEvent(task, 'subtask.failed');
  expect(await attempts.events(task, 'model.parked')).toHaveLength(1);
  expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'model_rate_limited' } });
});

test('a model that refuses fails the attempt at once', async () => {
  const task = await attempts.begin(runner, [new AppError('model_rejected', 'no such model')]);
  await attempts.untilEvent(task, 'subtask.failed');
  expect(await attempts.events(task, 'model.parked')).toEqual([]);
  expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'model_rejected' } });
});

test('a pause takes effect at the next boundary, and the attempt goes on there when resumed', async () => {
  const intake = attempts.intake(runner);
  const task = await attempts.begin(runner, [
    async (task) => {
      await intake.pauseTask(attempts.caller, task, null);
      return reply('', call('1', 'send', 'x'));
    },
    reply('done'),
  ]);
  await attempts.untilParked(runner, task, 'pause');
  expect(attempts.deeds).toEqual([]);
  expect((await attempts.journal(task)).map(({ role }) => role)).toEqual(['assistant']);
  await intake.resumeTask(attempts.caller, task, { subtask_id: null, limits: null });
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['send x']);
  expect(attempts.asked()).toHaveLength(2);
});

test('one subtask can be paused as well', async () => {
  const intake = attempts.intake(runner);
  const task = await attempts.begin(runner, [
    async (task) => {
      await intake.pauseTask(attempts.caller, task, 'a');
      return reply('', call('1', 'put', 'x'), call('2', 'put', 'y'));
    },
    reply('done'),
  ]);
  await attempts.untilParked(runner, task, 'pause');
  expect(attempts.deeds).toEqual([]);
  await intake.resumeTask(attempts.caller, task, { subtask_id: 'a', limits: null });
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['put x', 'put y']);
});

test('guidance reaches the attempt at its next step, and is acknowledged once', async () => {
  const intake = attempts.intake(runner);
  let receipt = '';
  const task = await attempts.begin(runner, [
    async (task) => {
      const input = { guidance: 'mind the commas', subtask_id: null };
      receipt = (await intake.steerTask(attempts.caller, task, input)).receipt_id;
      return reply('', call('1', 'look', 'x'));
    },
    reply('', call('2', 'look', 'y')),
    reply('done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  const told = `GUIDANCE (receipt ${receipt}): mind the commas`;
  expect((await attempts.journal(task)).map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'assistant: ',
    'tool: look of x is done',
    `user: ${told}`,
    'assistant: ',
    'tool: look of y is done',
    'assistant: done',
  ]);
  expect(attempts.asked()[1]?.messages.some(({ content }) => content === told)).toBe(true);
  expect(await attempts.events(task, 'task.steer_acknowledged')).toEqual([
    { data: { receipt_id: receipt, subtask_id: 'a' } },
  ]);
});

test('guidance during the last text is heard before the attempt ends', async () => {
  const intake = attempts.intake(runner);
  let receipt = '';
  const task = await attempts.begin(runner, [
    async (task) => {
      const input = { guidance: 'in blue', subtask_id: null };
      receipt = (await intake.steerTask(attempts.caller, task, input)).receipt_id;
      return reply('done');
    },
    reply('done in blue'),
  ]);
  await attempts.untilStatus(task, 'completed');
  expect((await attempts.journal(task)).map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'assistant: done',
    `user: GUIDANCE (receipt ${receipt}): in blue`,
    'assistant: done in blue',
  ]);
  expect(await attempts.events(task, 'task.steer_acknowledged')).toHaveLength(1);
});

test('what an attempt changed is known of the task although the attempt fails', async () => {
  const refused = new AppError('model_rejected', 'not like this');
  const task = await attempts.begin(runner, [reply('', call('1', 'send', 'x')), refused]);
  const [ended] = await attempts.untilEvent(task, 'subtask.failed');
  expect(ended).toMatchObject({ code: 'model_rejected' });
  const [row] = await attempts.world.rows('SELECT files_changed FROM tasks WHERE id = $1', [task]);
  expect(row).toEqual({ files_changed: ['x.md'] });
});

test('each repeated try of a model call is told with what came of it', async () => {
  const retry = { attempt: 1, delay_ms: 5, reason: 'overloaded' };
  const again = async () => attempts.asked().at(-1)?.on_retry?.(retry);
  const task = await attempts.begin(runner, [
    () => again().then(() => reply('', call('1', 'look', 'x'))),
    () => again().then(() => away()),
    reply('done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  const told = { data: { role: 'executor', ...retry } };
  expect(await attempts.events(task, 'model.retry')).toEqual([told, told]);
});

test('an executor sees the catalog, and what it runs by name counts as that tool', async () => {
  const task = await attempts.begin(runner, [
    reply('', call('1', 'list_tools', {}), {
      id: '2',
      name: 'run_tool',
      arguments: { name: 'send', arguments: { what: 'x' } },
    }),
    reply('done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['send x']);
  const offered = attempts.asked()[0]?.tools?.map(({ name }) => name);
  expect(offered).toEqual(expect.arrayContaining(['list_tools', 'record_decision', 'run_tool']));
  const [row] = await attempts.world.rows(
    `SELECT mutating_tool_calls, course->'actions' AS actions FROM tasks WHERE id = $1`,
    [task],
  );
  expect(row).toEqual({ mutating_tool_calls: 1, actions: { list_tools: 1, send: 1 } });
});

test('guidance that was heard before a crash is neither lost nor heard twice', async () => {
  const intake = attempts.intake(runner);
  let receipt = '';
  const task = await attempts.begin(runner, [
    async (task) => {
      const input = { guidance: 'in blue', subtask_id: 'a' };
      receipt = (await intake.steerTask(attempts.caller, task, input)).receipt_id;
      return reply('', call('1', 'look', 'x'));
    },
    async (task) => {
      // The owner has to give the unit up while it waits for the model.
      runner.runtime.keeper.yield(`${task}.a.1`);
      return new Error('aborted');
    },
    reply('done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  expect((await attempts.unit(task))?.epoch).toBe(2);
  const [, , again] = attempts.asked();
  const heard = again?.messages.filter(({ content }) => content.includes(receipt));
  expect(heard).toEqual([{ role: 'user', content: `GUIDANCE (receipt ${receipt}): in blue` }]);
  expect(await attempts.events(task, 'task.steer_acknowledged')).toHaveLength(1);
});

test('guidance from before the attempt is in front of its model’s first call', async () => {
  const intake = attempts.intake(runner);
  const plan = planSchema.parse({
    subtasks: [
      { id: 'a', description: 'first' },
      { id: 'b', description: 'second', depends_on: ['a'] },
    ],
  });
  let receipt = '';
  const task = await attempts.begin(
    runner,
    [
      async (task) => {
        const input = { guidance: 'be brief', subtask_id: 'b' };
        receipt = (await intake.steerTask(attempts.caller, task, input)).receipt_id;
        return reply('a is done');
      },
      reply('b is done'),
    ],
    { plan },
  );
  await attempts.untilStatus(task, 'completed');
  expect(attempts.asked()[1]?.messages.at(-1)).toEqual({
    role: 'user',
    content: `GUIDANCE (receipt ${receipt}): be brief`,
  });
  expect(await attempts.events(task, 'task.steer_acknowledged')).toEqual([
    { data: { receipt_id: receipt, subtask_id: 'b' } },
  ]);
});

test('a refused budget ends the attempt before its next call', async () => {
  const task = await attempts.begin(
    runner,
    [reply('', call('1', 'send', 'x')), reply('', call('2', 'send', 'y')), reply('done')],
    { budget: { max_mutating_tool_calls: 1 } },
  );
  await attempts.untilStatus(task, 'failed');
  expect(attempts.deeds).toEqual(['send x']);
  expect(await attempts.events(task, 'task.budget_exhausted')).toMatchObject([
    { data: { budget: 'max_mutating_tool_calls', used: 1, limit: 1 } },
  ]);
  expect(await attempts.subtask(task)).toMatchObject({ error: { code: 'budget_exhausted' } });
});

test('a spent budget of a session pauses the attempt, and a raised one lets it go on where it was', async () => {
  const intake = attempts.intake(runner);
  const session_id = (await intake.createSession(attempts.caller, {}, null)).body.id;
  const task = await attempts.begin(
    runner,
    [reply('', call('1', 'send', 'x'), call('2', 'send', 'y')), reply('done')],
    { budget: { max_tool_calls: 1 }, session_id },
  );
  await attempts.untilParked(runner, task, 'pause');
  // Whoever goes on asks again: nothing was raised, so nothing is granted.
  await intake.resumeTask(attempts.caller, task, { subtask_id: null, limits: null });
  await attempts.untilEvent(task, 'task.budget_exhausted', 2);
  await attempts.untilParked(runner, task, 'pause');
  expect(attempts.deeds).toEqual([]);
  const limits = { max_tool_calls: 2 };
  await intake.resumeTask(attempts.caller, task, { subtask_id: null, limits });
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['send x', 'send y']);
  expect(attempts.asked()).toHaveLength(2);
});

test('a cancel between claim and hold is noticed before anything is done', async () => {
  const own = await openAttemptWorld();
  const { runtime, close } = await own.world.openRuntime(0);
  const nobody: Runner = { runtime, stop: close };
  const task = await own.begin(nobody, [reply('', call('1', 'send', 'x'))]);
  const claim = { kind: 'claim', task_id: task, unit_id: `${task}.a.1`, epoch: 0 } as const;
  const claimed = await runtime.committer.add(claim);
  if (claimed.outcome !== 'claimed') throw new Error(claimed.outcome);
  await own.intake(nobody).stopTask(own.caller, task, 'cancel');
  const hold = runtime.keeper.hold(claimed.unit);
  await own.handle(runtime, claimed.unit, createUnitContext(hold, runtime.committer));
  runtime.keeper.drop(claimed.unit);
  expect(own.asked()).toEqual([]);
  expect(await own.world.statusOf(task)).toBe('cancelled');
  await close();
  await own.world.drop();
});

test('what an attempt found on the way is part of its end', async () => {
  const found = { summary: 'there is a second API', detail: 'see /v2' };
  const task = await attempts.begin(runner, [
    reply('', call('1', 'record_discovery', found), call('2', 'record_discovery', {})),
    reply('done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  const [row] = await attempts.world.rows(
    `SELECT course->'discoveries' AS discoveries FROM tasks WHERE id = $1`,
    [task],
  );
  expect(row).toEqual({ discoveries: [{ subtask_id: 'a', summary: found.summary }] });
});
