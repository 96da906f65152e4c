import type { ChatMessage } from '@loom/shared/chat';
import { configSchema } from '@loom/shared/config';
import { expect, test } from 'vitest';
import { deadlineSignal, reachedLimit } from './attempt-limits.ts';

const soon = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve));

const limits = {
  ...configSchema.parse({}).limits.runner,
  max_tool_iterations: 2,
  max_subtask_wall_clock_seconds: 10,
};
const reply: ChatMessage = { role: 'assistant', content: '' };
const at = (seconds: number) => new Date(seconds * 1_000);
const soFar = { journal: [], started_at: at(0), parked_seconds: 0 };

test('model calls are counted from the journal, guidance and results are not', () => {
  const journal: ChatMessage[] = [reply, { role: 'tool', content: '' }];
  expect(reachedLimit({ ...soFar, journal }, limits, at(1))).toBeNull();
  journal.push({ role: 'user', content: 'GUIDANCE' }, reply);
  expect(reachedLimit({ ...soFar, journal }, limits, at(1))?.code).toBe('iterations_exhausted');
});

test('time without a worker is not the attempt’s', () => {
  expect(reachedLimit(soFar, limits, at(10))).toBeNull();
  expect(reachedLimit(soFar, limits, at(11))?.code).toBe('time_exhausted');
  expect(reachedLimit({ ...soFar, parked_seconds: 3_600 }, limits, at(3_610))).toBeNull();
  expect(reachedLimit({ ...soFar, parked_seconds: 3_600 }, limits, at(3_611))?.code).toBe(
    'time_exhausted',
  );
});

test('a deadline far away is none, one that has passed acts at once', async () => {
  expect(deadlineSignal(1e9).aborted).toBe(false);
  await soon(deadlineSignal(-5));
});
