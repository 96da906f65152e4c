import { claimChange, createTaskCommitter } from '@loom/db/commit-tasks';
import { insertTask } from '@loom/db/insert-task';
import { inTransaction } from '@loom/db/transaction';
import { decideTask } from '@loom/engine/decide-task';
import { createModels } from '@loom/models/create-models';
import { createUnitContext } from '@loom/runtime/unit-context';
import { type BudgetLimits, nothingSpent } from '@loom/shared/budget';
import { configSchema, modelConfigSchema } from '@loom/shared/config';
import type { EventType } from '@loom/shared/events';
import { newId } from '@loom/shared/ids';
import { taskPolicy } from '@loom/shared/task-policy';
import type { TaskInput } from '@loom/shared/task-state';
import type { ClaimedUnit, LedgerEntry } from '@loom/shared/work';
import { newTask, plan, type SubtaskInput } from '@loom/testing/builders';
import { startScriptedModel } from '@loom/testing/scripted-model-server';
import { createTestDatabase } from '@loom/testing/test-database';
import type { z } from 'zod';
import { handleVerification } from '../handle-verification.ts';
import { noShell as shell, workspaceWith } from './subject-fixtures.ts';

interface AttemptOptions {
  spec?: Partial<SubtaskInput>;
  files?: Record<string, string>;
  ledger?: Partial<LedgerEntry>[];
  budget?: BudgetLimits;
  /** A spent budget pauses the task instead of ending it. */
  pauses?: boolean;
}

/** A database, a scripted model, and attempts whose verification a test steps through. */
export async function openVerification() {
  const { database: db, rows } = await createTestDatabase();
  await rows("INSERT INTO tenants (id) VALUES ('default')");
  const model = await startScriptedModel();
  const modelNamed = (name: string) =>
    modelConfigSchema.parse({
      provider: 'openai-compatible',
      base_url: model.url,
      model: name,
      output_cost_per_million: 2,
    });
  // The executor is configured first: only who avoids it asks the other one.
  const connect = (names: string[]) =>
    createModels({
      models: Object.fromEntries(names.map((name) => [name, modelNamed(name)])),
      apiKey: () => undefined,
      retry: {
        max_attempts: 2,
        base_delay_ms: 1,
        max_delay_ms: 10,
        jitter_ms: 0,
        park_after_ms: 10,
      },
      timeout_ms: 10_000,
    });
  let claimed: ClaimedUnit[] = [];
  const committer = createTaskCommitter({
    db,
    decide: decideTask,
    owner: 'test',
    lease_seconds: 60,
    max_starts: 3,
    reserve: () => true,
    unreserve: () => undefined,
    after: (commit) => void claimed.push(...commit.claimed),
  });

  /** An attempt that has just ended, its verification claimed by the test. */
  async function endedAttempt(options: AttemptOptions = {}) {
    const { spec, files, ledger, budget = {}, pauses = false } = options;
    const id = newId('task');
    const present = files ?? { 'a.json': '{}' };
    const task = newTask({ workspace: await workspaceWith(present), budget });
    const origin = {
      id,
      tenant_id: 'default',
      turn_id: null,
      tool_call_id: null,
      turn_waits: false,
      depth: 0,
      max_parallel: 5,
      policy: taskPolicy(configSchema.parse({}), { approval_mode: 'disabled', in_session: pauses }),
    };
    await inTransaction(db, (client) => insertTask(client, task, origin));
    claimed = [];
    const control = async (input: TaskInput) => {
      await committer.add({ kind: 'control', task_id: id, tenant_id: 'default', input });
    };
    const subtask = { id: 'one', description: 'Write a.json.', deliverables: ['a.json'], ...spec };
    await control({ kind: 'created', plan: plan(subtask) });
    const attempt = claimed.pop();
    if (attempt === undefined) throw new Error('no attempt was claimed');
    await committer.add({
      kind: 'work',
      task_id: id,
      fence: attempt,
      journal: [],
      journal_from: 0,
      ledger: (ledger ?? []).map((entry, index) => ({
        key: `${attempt.unit_id}/${index}`,
        tool: 'write_file',
        effect: 'idempotent' as const,
        arguments: { path: 'a.json' },
        status: 'done' as const,
        result: '',
        exit_code: null,
        changes: [],
        ...entry,
      })),
      events: [],
      spent: nothingSpent,
      actions: [],
      wants: null,
      model: 'worker',
      input: {
        kind: 'attempt_done',
        subtask_id: 'one',
        attempt: 1,
        summary: 'All done.',
        files_changed: Object.keys(present),
        discoveries: [],
      },
      park: null,
    });
    const unit = claimed.pop();
    if (unit === undefined) throw new Error('no verification was claimed');
    return sceneOf(unit, control);
  }

  function sceneOf(unit: ClaimedUnit, control: (input: TaskInput) => Promise<void>) {
    const { task_id } = unit;
    const stop = new AbortController();
    const abort = new AbortController();
    const drain = new AbortController();
    const signals = { stop: stop.signal, abort: abort.signal, drain: drain.signal };
    const first = async (sql: string) => (await rows<Record<string, unknown>>(sql, [task_id]))[0];
    const contextOf = (held: ClaimedUnit) =>
      createUnitContext({ unit: held, signals, lost: () => false }, committer);
    return {
      unit,
      context: contextOf(unit),
      control,
      stop,
      abort,
      drain,
      /** Lets a verifier judge the attempt, with these models and settings. */
      verify: async (
        settings: z.input<typeof configSchema> = {},
        models: string[] = ['worker', 'judge'],
      ) => {
        // A round that the engine asked for in the meantime is the one to judge.
        const held = claimed.findLast(({ queue }) => queue === 'verifications') ?? unit;
        const config = configSchema.parse(settings);
        const deps = { db, models: connect(models), config, shell };
        await handleVerification(deps, held, contextOf(held));
      },
      /** Makes a unit that was given back this process's again. */
      claim: async () => {
        const [row] = await rows<{ id: string; epoch: number }>(
          `UPDATE units SET status = 'waiting', available_at = NULL
            WHERE task_id = $1 AND queue = 'verifications' AND status <> 'done' RETURNING id, epoch`,
          [task_id],
        );
        const change = claimChange(row?.id ?? '', row?.epoch ?? 0);
        const result = change === null ? null : await committer.add(change);
        if (result?.outcome !== 'claimed') throw new Error(`it is ${result?.outcome}`);
        claimed.push(result.unit);
      },
      task: () => first('SELECT * FROM tasks WHERE id = $1'),
      subtask: () => first('SELECT * FROM subtasks WHERE task_id = $1'),
      verdict: () => first('SELECT * FROM verdicts WHERE task_id = $1'),
      held: () =>
        first(
          `SELECT *, round(extract(epoch FROM available_at - parked_at)::numeric, 1)::float8 AS seconds
            FROM units WHERE task_id = $1 AND queue = 'verifications' ORDER BY created_at DESC, id DESC LIMIT 1`,
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

  return { model, rows, endedAttempt };
}
