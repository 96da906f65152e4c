import { AppError } from '@loom/shared/app-error';
import { planSchema } from '@loom/shared/plan';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, openAttemptWorld, type Runner } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;
let runner: Runner;

beforeAll(async () => {
  attempts = await openAttemptWorld();
  runner = await attempts.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await attempts.world.drop();
});

const plan = planSchema.parse({
  subtasks: [{ id: 'a', description: 'do it', max_retries: 2 }],
});

/** What ends an attempt without an answer, with a signature of its own. */
const broken = (why: string) => new AppError('model_bad_reply', why);

const secondJournal = (task: string) =>
  attempts.world.rows<{ content: string }>(
    `SELECT content FROM attempt_messages WHERE unit_id = $1 AND role = 'tool' ORDER BY seq`,
    [`${task}.a.2`],
  );

test('a retry does not repeat an effect outside the workspace; a deliberate repeat runs', async () => {
  const task = await attempts.begin(
    runner,
    [
      reply('', call('1', 'publish', 'x'), call('2', 'send', 'y')),
      broken('the line is dead'),
      reply('', call('3', 'publish', 'x'), call('4', 'send', 'y')),
      reply('', call('5', 'publish', 'x'), call('6', 'publish', 'z')),
      reply('done'),
    ],
    { plan, approval_mode: 'disabled' },
  );
  await attempts.untilStatus(task, 'completed');
  // A command or an edit may be needed again; what was published stays published.
  expect(attempts.deeds).toEqual(['publish x', 'send y', 'send y', 'publish x', 'publish z']);
  const [first, , repeat] = await secondJournal(task);
  expect(first?.content).toContain('was not made again');
  expect(first?.content).toContain('publish of x is done');
  expect(repeat?.content).toBe('publish of x is done');
  expect(await attempts.events(task, 'tool.deduplicated')).toEqual([
    {
      data: {
        tool: 'publish',
        call_id: '3',
        key: `${task}.a.2/0/0`,
        earlier_key: `${task}.a.1/0/0`,
        status: 'done',
      },
    },
  ]);
});

test('a third attempt sees what really happened, not what was given again', async () => {
  const task = await attempts.begin(
    runner,
    [
      reply('', call('1', 'publish', 'x')),
      broken('the line is dead'),
      reply('', call('2', 'publish', 'x')),
      broken('nobody answers'),
      reply('', call('3', 'publish', 'x'), call('4', 'publish', 'x')),
      reply('done'),
    ],
    { plan, approval_mode: 'disabled' },
  );
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['publish x', 'publish x']);
  expect(await attempts.events(task, 'tool.deduplicated')).toHaveLength(2);
});

test('what is in doubt after an attempt is not blindly repeated by the next', async () => {
  const task = await attempts.begin(
    runner,
    [
      async (id) => {
        await attempts.world.rows(
          `INSERT INTO tool_calls (key, tenant_id, unit_id, task_id, subtask_id, attempt, tool, effect, arguments, status)
            VALUES ($1 || '.a.1/9/0', 'default', $1 || '.a.1', $1, 'a', 1, 'publish', 'effectful', '{"what": "x"}', 'in_doubt')`,
          [id],
        );
        throw broken('the line is dead');
      },
      reply('', call('1', 'publish', 'x')),
      reply('', call('2', 'publish', 'x')),
      reply('done'),
    ],
    { plan, approval_mode: 'disabled' },
  );
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['publish x']);
  const [doubt] = await secondJournal(task);
  expect(doubt?.content).toContain('It is not known whether this call took effect');
});

test('an operator may switch that off', async () => {
  const settings = { execution: { enable_mutation_idempotency: false } };
  const free = await attempts.startRunner(settings);
  await runner.stop();
  runner = free;
  const task = await attempts.begin(
    runner,
    [
      reply('', call('1', 'publish', 'x')),
      broken('the line is dead'),
      reply('', call('2', 'publish', 'x')),
      reply('done'),
    ],
    { plan, approval_mode: 'disabled' },
  );
  await attempts.untilStatus(task, 'completed');
  expect(attempts.deeds).toEqual(['publish x', 'publish x']);
});
