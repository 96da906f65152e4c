import { AppError } from '@loom/shared/app-error';
import type { ModelReply, Models } from '@loom/shared/chat';
import { describe, expect, test } from 'vitest';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';

/** The lines of one metric, without its help. */
async function linesOf(metrics: WorkerMetrics, name: string): Promise<string[]> {
  const text = await metrics.render();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`));
}

describe('tools', () => {
  test('are counted by name and outcome, and their time is measured in seconds', async () => {
    const metrics = createWorkerMetrics({ process: false });
    metrics.observeTool('read_file', 'ok', 3);
    metrics.observeTool('read_file', 'ok', 700);
    metrics.observeTool('read_file', 'invalid_arguments', 1);
    metrics.observeTool('shell_execute', 'timeout', 120_000);
    expect(await linesOf(metrics, 'loom_tool_calls_total')).toEqual([
      'loom_tool_calls_total{tool="read_file",outcome="ok"} 2',
      'loom_tool_calls_total{tool="read_file",outcome="invalid_arguments"} 1',
      'loom_tool_calls_total{tool="shell_execute",outcome="timeout"} 1',
    ]);
    const buckets = await linesOf(metrics, 'loom_tool_duration_seconds_bucket');
    expect(buckets).toContain('loom_tool_duration_seconds_bucket{le="0.5",tool="read_file"} 2');
    expect(buckets).toContain('loom_tool_duration_seconds_bucket{le="1",tool="read_file"} 3');
    expect(await linesOf(metrics, 'loom_tool_duration_seconds_sum')).toContain(
      'loom_tool_duration_seconds_sum{tool="shell_execute"} 120',
    );
  });

  test('of one MCP server are one label, however many it has', async () => {
    const metrics = createWorkerMetrics({ process: false });
    for (let n = 0; n < 50; n += 1) metrics.observeTool(`files__tool_${n}`, 'ok', 1);
    metrics.observeTool('other-server__a__b', 'failed', 1);
    expect(await linesOf(metrics, 'loom_tool_calls_total')).toEqual([
      'loom_tool_calls_total{tool="mcp:files",outcome="ok"} 50',
      'loom_tool_calls_total{tool="mcp:other-server",outcome="failed"} 1',
    ]);
  });
});

describe('model calls', () => {
  const answer: ModelReply = {
    text: 'hi',
    tool_calls: [],
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_micros: 0,
    model: 'm',
  };
  const modelsThat = (complete: Models['complete']): Models => ({
    complete,
    list: () => [],
    select: () => null,
  });

  test('are counted by role and outcome, and otherwise left as they are', async () => {
    const metrics = createWorkerMetrics({ process: false });
    const refused = new AppError('model_rate_limited', 'later');
    const broken = new Error('broken');
    const replies = [answer, refused, broken];
    const models = metrics.measured(
      modelsThat(async () => {
        const next = replies.shift();
        if (next instanceof Error) throw next;
        return next as ModelReply;
      }),
    );
    const ask = () => models.complete({ role: 'executor', messages: [] });
    expect(await ask()).toBe(answer);
    await expect(ask()).rejects.toBe(refused);
    await expect(ask()).rejects.toBe(broken);
    expect(await linesOf(metrics, 'loom_model_calls_total')).toEqual([
      'loom_model_calls_total{role="executor",outcome="ok"} 1',
      'loom_model_calls_total{role="executor",outcome="model_rate_limited"} 1',
      'loom_model_calls_total{role="executor",outcome="internal"} 1',
    ]);
  });
});

test('metrics of the process itself come along only where nobody else gives them', async () => {
  const named = async (process: boolean) =>
    (await createWorkerMetrics({ process }).render()).includes('process_cpu_seconds_total');
  expect([await named(true), await named(false)]).toEqual([true, false]);
});
