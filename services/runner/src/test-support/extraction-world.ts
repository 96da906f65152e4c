import { createModels } from '@loom/models/create-models';
import type { Runtime } from '@loom/runtime/create-runtime';
import { createIntake } from '@loom/runtime/intake';
import { startWorker } from '@loom/runtime/start-worker';
import { caller, easyHandlers, openWorld } from '@loom/runtime/test-support/runtime-world';
import { modelConfigSchema } from '@loom/shared/config';
import type { NewTask } from '@loom/shared/intake';
import { planSchema } from '@loom/shared/plan';
import { newTask } from '@loom/testing/builders';
import { startScriptedModel } from '@loom/testing/scripted-model-server';
import { runnerHandlers } from '../handlers.ts';

interface WorkerOptions {
  /** False: nobody extracts here. */
  extracts?: boolean;
  /** Roles of the only model. */
  roles?: ('executor' | 'extractor')[];
  execution?: Record<string, unknown>;
}

/** Tasks of one subtask that succeeds at once, and workers that learn from it with a scripted model server. */
export async function openExtractionWorld() {
  const world = await openWorld();
  const model = await startScriptedModel();
  /** What the handlers complained of. */
  const warnings: string[] = [];

  const openWorker = async (options: WorkerOptions = {}) => {
    const opened = await world.openRuntime(4, options.execution ?? {}, {
      memory: { extraction_enabled: true, extraction_max_entries: 3 },
    });
    const { runtime } = opened;
    const config = modelConfigSchema.parse({
      provider: 'openai-compatible',
      base_url: model.url,
      model: 'm',
      roles: options.roles ?? ['extractor'],
      output_cost_per_million: 10,
    });
    const models = createModels({
      models: { scripted: config },
      apiKey: () => undefined,
      retry: {
        max_attempts: 1,
        base_delay_ms: 1,
        max_delay_ms: 1,
        jitter_ms: 0,
        park_after_ms: 0,
      },
      timeout_ms: 30_000,
    });
    const logger = Object.assign(Object.create(runtime.logger) as typeof runtime.logger, {
      warn: (_: unknown, message: string) => warnings.push(message),
    });
    const learning = { ...runtime, logger };
    const { deliveries } = runnerHandlers({ runtime: learning, models, tools: [] });
    const worker = startWorker(runtime, {
      ...easyHandlers([]),
      ...(options.extracts === false || deliveries === undefined ? {} : { deliveries }),
    });
    return {
      runtime,
      stop: async () => {
        await worker.stop();
        await opened.close();
      },
    };
  };

  const runTask = async (runtime: Runtime, overrides: Partial<NewTask> = {}): Promise<string> => {
    const plan = planSchema.parse({ subtasks: [{ id: 'a', description: 'do it' }] });
    const { body } = await createIntake(runtime).createTask(
      caller,
      newTask({ plan, ...overrides }),
      null,
    );
    await world.untilEnded(runtime, [body.id]);
    return body.id;
  };

  const unit = async (taskId: string) => {
    const [row] = await world.rows<{ status: string; epoch: number; model_parks: number }>(
      'SELECT status, epoch, model_parks FROM units WHERE id = $1',
      [`mem_${taskId}.a.1`],
    );
    return row;
  };

  const untilUnit = async (taskId: string, status: string): Promise<void> => {
    while ((await unit(taskId))?.status !== status);
  };

  const entries = (taskId: string) =>
    world.rows<{ type: string; summary: string; subtask_id: string; attempt: number }>(
      'SELECT type, summary, subtask_id, attempt FROM memory_entries WHERE task_id = $1 ORDER BY id',
      [taskId],
    );

  const spentBy = async (taskId: string) => {
    const [row] = await world.rows<{ tokens: number; cost: number; calls: number }>(
      'SELECT tokens_used AS tokens, cost_micros AS cost, model_calls AS calls FROM tasks WHERE id = $1',
      [taskId],
    );
    return row;
  };

  return { world, model, warnings, openWorker, runTask, unit, untilUnit, entries, spentBy };
}

/** An extractor's answer of decisions with these summaries. */
export function learnt(...summaries: string[]): string {
  return JSON.stringify({ entries: summaries.map((summary) => ({ type: 'decision', summary })) });
}
