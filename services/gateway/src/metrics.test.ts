import type { QueueAdmin } from '@loom/shared/queue-admin';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

const unreachable = {
  queues: () => Promise.reject(new Error('gone')),
} as unknown as QueueAdmin;

it('adds what workers in the same process count, and works without queues', async () => {
  const deps = { queueAdmin: unreachable, streamCount: () => 3 };
  const alone = await createMetrics(deps).render();
  expect(alone).toContain('\nloom_sse_clients 3\n');
  expect(alone).not.toContain('loom_tool_calls_total');
  const work = '# TYPE loom_tool_calls_total counter\nloom_tool_calls_total 1\n';
  const together = await createMetrics({ ...deps, workerMetrics: async () => work }).render();
  expect(together).toContain('\nloom_sse_clients 3\n');
  // A comment that does not begin a line would be read as part of a value.
  expect(together.endsWith(`\n${work}`)).toBe(true);
});
