import type { Runtime } from '@loom/runtime/create-runtime';
import { createIntake } from '@loom/runtime/intake';
import { startWorker, type Worker } from '@loom/runtime/start-worker';
import { caller, easyHandlers, openWorld } from '@loom/runtime/test-support/runtime-world';
import type { UnitContext } from '@loom/runtime/unit-context';
import type { ModelReply, ModelRequest, ToolCall } from '@loom/shared/chat';
import { type Config, configSchema } from '@loom/shared/config';
import type { NewTask } from '@loom/shared/intake';
import type { JsonObject } from '@loom/shared/json';
import { planSchema } from '@loom/shared/plan';
import type { ToolDefinition } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { newTask } from '@loom/testing/builders';
import { z } from 'zod';
import { runnerHandlers } from '../handlers.ts';
import { scriptedModels } from './scripted-models.ts';

type Settings = Parameters<typeof configSchema.parse>[0] & object;

/** What the model says, or what is done while it is asked and what it says then. */
export type AttemptReply = ModelReply | Error | ((taskId: string) => Promise<ModelReply | Error>);

/** One runner that can be stopped; another may go on where it was. */
export interface Runner {
  runtime: Runtime;
  stop(): Promise<void>;
}

/** Attempts of tasks with one subtask, run by real runners on a real database; only the model is a script. */
export async function openAttemptWorld(extraTools: ToolDefinition[] = []) {
  const world = await openWorld();
  /** What tools did, in order. */
  const deeds: string[] = [];
  let models = scriptedModels([]);
  const current: typeof models = {
    asked: [],
    complete: (request) => models.complete(request),
    list: () => models.list(),
    select: (request) => models.select(request),
  };

  const tool = (name: string, effect: ToolDefinition['effect']): ToolDefinition => ({
    name,
    description: name,
    effect,
    timeout_ms: 5_000,
    input: z.strictObject({ what: z.string() }),
    unavailable: () => null,
    run: async (input) => {
      const { what } = input as { what: string };
      deeds.push(`${name} ${what}`);
      return { text: `${name} of ${what} is done`, changes: [{ path: `${what}.md`, after: null }] };
    },
  });
  const tools = [
    tool('look', 'read'),
    tool('put', 'idempotent'),
    tool('send', 'effectful'),
    { ...tool('publish', 'effectful'), once: true },
    ...extraTools,
  ];

  /** Runs one attempt, without a worker around it. */
  const handle = async (runtime: Runtime, unit: ClaimedUnit, context: UnitContext) =>
    runnerHandlers({ runtime, models: current, tools }).subtasks?.(unit, context);

  const startRunner = async (settings: Settings = {}): Promise<Runner> => {
    const opened = await world.openRuntime(4);
    const runtime = { ...opened.runtime, config: merge(opened.runtime.config, settings) };
    const { subtasks } = runnerHandlers({ runtime, models: current, tools });
    const { verifications } = easyHandlers([]);
    const worker: Worker = startWorker(runtime, {
      ...(subtasks === undefined ? {} : { subtasks }),
      ...(verifications === undefined ? {} : { verifications }),
    });
    return {
      runtime,
      stop: async () => {
        await worker.stop();
        await opened.close();
      },
    };
  };

  /** Creates a task of one subtask `a` and gives the model its script. */
  const begin = async (
    runner: Runner,
    replies: AttemptReply[],
    overrides: Partial<NewTask> = {},
    /** Of whoever accepts the task: its policy comes from there. */
    settings: Settings = {},
  ): Promise<string> => {
    deeds.length = 0;
    let created: (id: string) => void = () => undefined;
    const taskId = new Promise<string>((resolve) => {
      created = resolve;
    });
    models = scriptedModels(
      replies.map((one) => (typeof one === 'function' ? async () => one(await taskId) : one)),
    );
    const plan = planSchema.parse({
      subtasks: [{ id: 'a', description: 'do it', max_retries: 0 }],
    });
    const input = newTask({ plan, ...overrides });
    const gateway = { ...runner.runtime, config: merge(runner.runtime.config, settings) };
    const { body } = await createIntake(gateway).createTask(caller, input, null);
    created(body.id);
    return body.id;
  };

  const events = (taskId: string, type: string) =>
    world.rows<{ data: Record<string, unknown> }>(
      'SELECT data FROM events WHERE task_id = $1 AND type = $2 ORDER BY seq',
      [taskId, type],
    );

  const untilEvent = async (taskId: string, type: string, count = 1) => {
    for (;;) {
      const found = await events(taskId, type);
      if (found.length >= count) return found.map(({ data }) => data);
    }
  };

  const untilStatus = async (taskId: string, status: string): Promise<void> => {
    while ((await world.statusOf(taskId)) !== status);
  };

  const unit = async (taskId: string) => {
    const [row] = await world.rows<{ status: string; epoch: number; parked_for: string | null }>(
      'SELECT status, epoch, parked_for FROM units WHERE id = $1',
      [`${taskId}.a.1`],
    );
    return row;
  };

  const subtask = async (taskId: string) => {
    const [row] = await world.rows<{ status: string; error: { code: string } | null }>(
      `SELECT status, error FROM subtasks WHERE task_id = $1 AND id = 'a'`,
      [taskId],
    );
    return row;
  };

  /** Waits until the attempt is parked and its place is free again. */
  const untilParked = async (runner: Runner, taskId: string, reason: string): Promise<void> => {
    for (;;) {
      const row = await unit(taskId);
      const isFree = runner.runtime.slots.active('subtasks') === 0;
      if (row?.status === 'parked' && row.parked_for === reason && isFree) return;
    }
  };

  const journal = (taskId: string) =>
    world.rows<{ role: string; content: string }>(
      'SELECT role, content FROM attempt_messages WHERE unit_id = $1 ORDER BY seq',
      [`${taskId}.a.1`],
    );

  return {
    world,
    deeds,
    asked: (): ModelRequest[] => models.asked,
    startRunner,
    handle,
    begin,
    events,
    untilEvent,
    untilStatus,
    untilParked,
    unit,
    subtask,
    journal,
    intake: (runner: Runner) => createIntake(runner.runtime),
    caller,
  };
}

function merge(config: Config, settings: Settings): Config {
  const sections = Object.entries(settings).map(([name, section]) => [
    name,
    { ...(config[name as keyof Config] as object), ...(section as object) },
  ]);
  return configSchema.parse({ ...config, ...Object.fromEntries(sections) });
}

/** A call of one of the world's tools. */
export function call(id: string, name: string, what: string | JsonObject): ToolCall {
  return { id, name, arguments: typeof what === 'string' ? { what } : what };
}
