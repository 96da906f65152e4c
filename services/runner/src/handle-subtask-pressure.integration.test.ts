import { createHash } from 'node:crypto';
import { AppError } from '@loom/shared/app-error';
import { planSchema } from '@loom/shared/plan';
import type { ToolDefinition } from '@loom/shared/tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { call, openAttemptWorld, type Runner } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;
let runner: Runner;

const tool = (name: string, run: ToolDefinition['run']): ToolDefinition => ({
  name,
  description: name,
  effect: 'idempotent',
  timeout_ms: 5_000,
  input: z.object({ path: z.string() }),
  unavailable: () => null,
  run,
});
const pathOf = (input: unknown) => (input as { path: string }).path;

beforeAll(async () => {
  attempts = await openAttemptWorld([
    tool('read_long', async (input) => ({ text: `${pathOf(input)} ${'x'.repeat(30_000)}` })),
    tool('write_file', async (input) => ({
      text: `${pathOf(input)} is written`,
      changes: [{ path: pathOf(input), after: null }],
    })),
  ]);
  runner = await attempts.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await attempts.world.drop();
});

const fingerprint = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');
const long = (id: string) => reply('', call(id, 'read_long', { path: id }));

test('what a call sends is kept within the model’s window, and the journal stays whole', async () => {
  const task = await attempts.begin(runner, [
    ...['1', '2', '3', '4', '5'].map(long),
    async (task) => {
      runner.runtime.keeper.yield(`${task}.a.1`);
      return new Error('aborted');
    },
    reply('done'),
  ]);
  await attempts.untilStatus(task, 'completed');
  const sizes = attempts.asked().map(({ messages }) => JSON.stringify(messages).length);
  // The model reads 32,000 tokens; the journal alone has about 75,000.
  expect(Math.max(...sizes)).toBeLessThan(32_000 * 4);
  // A new owner sends the same.
  const [before, after] = attempts
    .asked()
    .slice(5)
    .map(({ messages }) => fingerprint(messages));
  expect(after).toBe(before);
  const stored = await attempts.journal(task);
  const outputs = stored.filter(({ role }) => role === 'tool');
  expect(outputs.every(({ content }) => content.length > 30_000)).toBe(true);
  const told = await attempts.events(task, 'context.compacted');
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(4);
});

test('a prompt that the provider finds too long is sent once more, shortened', async () => {
  const tooLong = () => new AppError('context_too_long', 'prompt is too long');
  const task = await attempts.begin(runner, [long('1'), long('2'), tooLong(), reply('done')]);
  await attempts.untilStatus(task, 'completed');
  expect(await attempts.events(task, 'context.compacted')).toMatchObject([
    { data: { stages: ['overflow'] } },
  ]);
  const failing = await attempts.begin(runner, [long('1'), tooLong(), tooLong()]);
  await attempts.untilEvent(failing, 'subtask.failed');
  expect(await attempts.subtask(failing)).toMatchObject({ error: { code: 'context_too_long' } });
});

test('a retry edits its deliverables in place', async () => {
  const plan = planSchema.parse({
    subtasks: [{ id: 'a', description: 'do it', max_retries: 3, deliverables: ['report.md'] }],
  });
  const write = (id: string, path: string) => call(id, 'write_file', { path });
  const task = await attempts.begin(
    runner,
    [
      reply('', write('1', 'report-v2.md')),
      new AppError('model_bad_reply', 'nothing to read'),
      reply('', write('2', 'report-v3.md'), write('3', 'report.md')),
      reply('done'),
    ],
    { plan },
  );
  await attempts.untilStatus(task, 'completed');
  const asked = attempts.asked()[3]?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(asked.map(({ content }) => content)).toEqual([
    'Edit the deliverable report.md in place instead of writing report-v3.md: a repair makes no second versions.',
    'report.md is written',
  ]);
  expect(await attempts.events(task, 'tool.error')).toMatchObject([
    { data: { tool: 'write_file', code: 'invalid_arguments' } },
  ]);
});
