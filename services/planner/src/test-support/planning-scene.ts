import { claimChange, createTaskCommitter } from '@loom/db/commit-tasks';
import { insertTask } from '@loom/db/insert-task';
import { inTransaction } from '@loom/db/transaction';
import { decideTask } from '@loom/engine/decide-task';
import { createModels } from '@loom/models/create-models';
import { createUnitContext } from '@loom/runtime/unit-context';
import type { BudgetLimits } from '@loom/shared/budget';
import { type Config, configSchema, modelConfigSchema } from '@loom/shared/config';
import type { EventType } from '@loom/shared/events';
import { newId } from '@loom/shared/ids';
import type { Plan } from '@loom/shared/plan';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type { TaskInput } from '@loom/shared/task-state';
import type { ClaimedUnit } from '@loom/shared/work';
import { newTask } from '@loom/testing/builders';
import { startScriptedModel } from '@loom/testing/scripted-model-server';
import { createTestDatabase } from '@loom/testing/test-database';
import { handlePlan } from '../handle-plan.ts';
import { policyWith } from './plan-brief.ts';

interface TaskOptions {
  plan?: Plan;
  policy?: Partial<TaskPolicy>;
  budget?: BudgetLimits;
}

/** A database, a scripted model, and tasks whose planning a test steps through. */
export async function openPlanning() {
  const { database: db, rows } = await createTestDatabase();
  await rows("INSERT INTO tenants (id) VALUES ('default')");
  const model = await startScriptedModel();
  const one = modelConfigSchema.parse({
    provider: 'openai-compatible',
    base_url: model.url,
    model: 'scripted',
    input_cost_per_million: 1,
  });
  const models = createModels({
    models: { one },
    apiKey: () => undefined,
    retry: { max_attempts: 2, base_delay_ms: 1, max_delay_ms: 10, jitter_ms: 0, park_after_ms: 10 },
    timeout_ms: 10_000,
  });
  let claimed: ClaimedUnit[] = [];
  const committer = createTaskCommitter({
    db,
    decide: decideTask,
    owner: 'test',
    lease_seconds: 60,
    max_starts: 3,
    // Only plans are worked on here.
    reserve: (queue) => queue === 'plans',
    unreserve: () => undefined,
    after: (commit) => void claimed.push(...commit.claimed),
  });

  async function beginTask({ plan, policy, budget = {} }: TaskOptions = {}) {
    const id = newId('task');
    const task = newTask({ goal: 'Write a.md', budget });
    const origin = {
      id,
      tenant_id: 'default',
      turn_id: null,
      tool_call_id: null,
      turn_waits: false,
      depth: 0,
      max_parallel: 5,
      policy: policyWith(policy),
    };
    await inTransaction(db, (client) => insertTask(client, task, origin));
    claimed = [];
    const scene = sceneOf(id);
    await scene.control({ kind: 'created', plan: plan ?? null });
    return scene;
  }

  function sceneOf(task_id: string) {
    const first = async (sql: string) => (await rows<Record<string, unknown>>(sql, [task_id]))[0];
    return {
      id: task_id,
      control: async (input: TaskInput) => {
        await committer.add({ kind: 'control', task_id, tenant_id: 'default', input });
      },
      /** Lets a planner work on the plan that was asked for last. */
      makePlan: async (settings: Partial<Config['execution']> = {}) => {
        const unit = claimed.at(-1);
        if (unit === undefined) throw new Error('no plan was asked for');
        const config = configSchema.parse({ execution: settings });
        const signal = new AbortController().signal;
        const signals = { stop: signal, abort: signal, drain: signal };
        const context = createUnitContext({ unit, signals, lost: () => false }, committer);
        await handlePlan({ db, models, config }, unit, context);
      },
      /** Makes a unit that waits this process's. */
      claim: async (queue: 'plans' | 'subtasks' = 'plans') => {
        const [unit] = await rows<{ id: string; epoch: number }>(
          `UPDATE units SET status = 'waiting', available_at = NULL
            WHERE task_id = $1 AND queue = $2 AND status IN ('parked', 'waiting') RETURNING id, epoch`,
          [task_id, queue],
        );
        const change = claimChange(unit?.id ?? '', unit?.epoch ?? 0);
        const result = change === null ? null : await committer.add(change);
        if (result?.outcome !== 'claimed') throw new Error(`it is ${result?.outcome}`);
        if (queue === 'plans') claimed.push(result.unit);
      },
      task: () => first('SELECT * FROM tasks WHERE id = $1'),
      unit: () =>
        first(
          `SELECT *, round(extract(epoch FROM available_at - parked_at)::numeric, 1)::float8 AS seconds
            FROM units WHERE task_id = $1 AND queue = 'plans' ORDER BY attempt DESC LIMIT 1`,
        ),
      events: async (type: EventType) => {
        const found = await rows<{ data: Record<string, unknown> }>(
          'SELECT data FROM events WHERE task_id = $1 AND type = $2 ORDER BY seq',
          [task_id, type],
        );
        return found.map(({ data }) => data);
      },
    };
  }

  return { model, rows, beginTask };
}
