import { AppError } from '@loom/shared/app-error';
import type { Models } from '@loom/shared/chat';
import type { ObserveTool } from '@loom/shared/tool';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What the workers of a process count, for Prometheus. */
export interface WorkerMetrics {
  /** Counts a call of a registered tool. */
  observeTool: ObserveTool;
  /** The same models, with every call counted. */
  measured(models: Models): Models;
  render(): Promise<string>;
  content_type: string;
}

/** Metrics of the work of one process; `process`: with those of the process itself, such as its memory. */
export function createWorkerMetrics(options: { process: boolean }): WorkerMetrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const toolCalls = new Counter({
    name: 'loom_tool_calls_total',
    help: 'Tool calls by tool and outcome; all tools of an MCP server count as one.',
    labelNames: ['tool', 'outcome'],
    registers: [registry],
  });
  const toolDuration = new Histogram({
    name: 'loom_tool_duration_seconds',
    help: 'Time a tool call took, whatever came of it.',
    labelNames: ['tool'],
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers: [registry],
  });
  const modelCalls = new Counter({
    name: 'loom_model_calls_total',
    help: 'Model calls by role and outcome; a call that was tried again counts once.',
    labelNames: ['role', 'outcome'],
    registers: [registry],
  });

  return {
    observeTool(tool, outcome, ms) {
      const label = toolLabel(tool);
      toolCalls.inc({ tool: label, outcome });
      toolDuration.observe({ tool: label }, ms / 1_000);
    },
    measured: (models) => ({
      list: () => models.list(),
      select: (request) => models.select(request),
      async complete(request) {
        const { role } = request;
        try {
          const reply = await models.complete(request);
          modelCalls.inc({ role, outcome: 'ok' });
          return reply;
        } catch (error) {
          const outcome = error instanceof AppError ? error.code : 'internal';
          modelCalls.inc({ role, outcome });
          throw error;
        }
      },
    }),
    render: () => registry.metrics(),
    content_type: registry.contentType,
  };
}

// A server decides how many tools it has; only the operator decides how many servers there are.
function toolLabel(tool: string): string {
  const [server = '', rest] = tool.split('__', 2);
  return rest === undefined ? tool : `mcp:${server}`;
}
