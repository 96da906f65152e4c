import { type Database, openDatabase } from '@loom/db/database';
import { createApiKey } from '@loom/db/read/api-keys';
import { openQueueBackend } from '@loom/queue/queue-backend';
import { configSchema } from '@loom/shared/config';
import type { NewTask } from '@loom/shared/intake';
import { createLogger } from '@loom/shared/logger';
import { planSchema } from '@loom/shared/plan';
import type { Verdict } from '@loom/shared/verdict';
import type { Wake } from '@loom/shared/wake';
import { testBackend } from '@loom/testing/backend';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRuntime, type Runtime } from './create-runtime.ts';
import { createIntake } from './intake.ts';
import { startWorker, type UnitHandlers } from './start-worker.ts';

const caller = { tenant_id: 'default', actor: 'key_test' };
const logger = createLogger({ level: 'silent', name: 'test' });
const config = configSchema.parse({
  execution: { lease_seconds: 2, sweep_interval_seconds: 0.2, ring_again_seconds: 1 },
});
const passed: Verdict = {
  outcome: 'pass',
  tier: 1,
  conclusive: true,
  confidence: 1,
  reason_code: 'checks_passed',
  severity_class: 'semantic',
  feedback: '',
  evidence: [],
  checks: [],
  missing_targets: [],
};

let test_db: TestDatabase;
beforeAll(async () => {
  test_db = await createTestDatabase();
  await createApiKey(test_db.database, {
    key: 'k',
    name: 'k',
    scopes: ['user'],
    tenant: 'default',
  });
});
afterAll(() => test_db.drop());

async function openRuntime(
  capacity: number,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const db: Database = await openDatabase({
    url: test_db.url,
    pool_size: 6,
    application_name: 'runtime-test',
    logger,
  });
  const { redis_url, prefix } = testBackend();
  const backend = await openQueueBackend({ redis_url, database_url: test_db.url, prefix, logger });
  const bus = await backend.openBus();
  const capacities = { plans: capacity, subtasks: capacity, verifications: capacity };
  const runtime = createRuntime({ db, backend, bus, config, logger, capacities });
  return {
    runtime,
    close: async () => {
      await runtime.close();
      await bus.close();
      await backend.close();
      await db.close();
    },
  };
}

function newTask(overrides: Partial<NewTask> = {}): NewTask {
  return {
    goal: 'test',
    context: {},
    workspace: null,
    process: null,
    approval_mode: 'auto',
    callback_url: null,
    budget: {},
    metadata: {},
    session_id: null,
    plan: null,
    ...overrides,
  };
}

const plan = planSchema.parse({
  subtasks: [
    { id: 'a', description: 'a' },
    { id: 'b', description: 'b' },
    { id: 'c', description: 'c', depends_on: ['a'] },
    { id: 'end', description: 'end', is_synthesis: true },
  ],
});

/** Handlers that do the least: each attempt succeeds, each verdict passes. */
function easyHandlers(seen: string[]): UnitHandlers {
  return {
    plans: async (_unit, context) => {
      await context.commit({ input: { kind: 'plan_made', plan } });
    },
    subtasks: async ({ subtask_id, attempt, unit_id }, context) => {
      seen.push(unit_id);
      await context.commit({
        journal: [{ role: 'assistant', content: 'done' }],
        input: {
          kind: 'attempt_done',
          subtask_id: subtask_id ?? '',
          attempt: attempt ?? 0,
          summary: 'done',
          files_changed: [],
        },
      });
    },
    verifications: async ({ subtask_id, attempt }, context) => {
      const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
      await context.commit({ input: { kind: 'verdict_given', ...ref, verdict: passed } });
    },
  };
}

function untilEnded(runtime: Runtime, taskIds: string[]): Promise<void> {
  const open = new Set(taskIds);
  return new Promise((resolve) => {
    const look = async (wake: Wake): Promise<void> => {
      if (wake.kind !== 'streams') return;
      for (const id of wake.ids.filter((one) => open.has(one))) {
        const [row] = await test_db.rows<{ status: string }>(
          'SELECT status FROM tasks WHERE id = $1',
          [id],
        );
        if (['completed', 'failed', 'cancelled'].includes(row?.status ?? '')) open.delete(id);
      }
      if (open.size === 0) resolve();
    };
    runtime.bus.subscribe((wake) => void look(wake));
  });
}

test('tasks run to their end, planned and verified, each unit once', async () => {
  const { runtime, close } = await openRuntime(4);
  const seen: string[] = [];
  const worker = startWorker(runtime, easyHandlers(seen));
  const intake = createIntake(runtime);
  const ids: string[] = [];
  const accepted = await Promise.all(
    Array.from({ length: 10 }, () => intake.createTask(caller, newTask(), null)),
  );
  ids.push(...accepted.map(({ body }) => body.id));
  await untilEnded(runtime, ids);
  await worker.stop();
  await close();
  const tasks = await test_db.rows<{ status: string; verification: string; last_seq: number }>(
    'SELECT status, verification, last_seq FROM tasks',
  );
  expect(tasks.map(({ status }) => status)).toEqual(Array(10).fill('completed'));
  expect(new Set(tasks.map(({ verification }) => verification))).toEqual(new Set(['verified']));
  expect(seen).toHaveLength(40);
  expect(new Set(seen).size).toBe(40);
  const holes = await test_db.rows(
    'SELECT task_id FROM events GROUP BY task_id HAVING max(seq) <> count(*) OR min(seq) <> 1',
  );
  expect(holes).toEqual([]);
  const left = await test_db.rows(`SELECT id, status FROM units WHERE status <> 'done'`);
  expect(left).toEqual([]);
});

test('a unit whose worker went silent is taken over, and the silent one is refused', async () => {
  const silent = await openRuntime(1);
  const intake = createIntake(silent.runtime);
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('x') }), null);
  // Claimed by a process that never renews its lease: no keeper holds the unit.
  const unit_id = `${body.id}.x.1`;
  const claim = await silent.runtime.committer.add({
    kind: 'claim',
    task_id: body.id,
    unit_id,
    epoch: 0,
  });
  expect(claim.outcome).toBe('claimed');

  const live = await openRuntime(2);
  const seen: string[] = [];
  const ended = untilEnded(live.runtime, [body.id]);
  const worker = startWorker(live.runtime, easyHandlers(seen));
  await ended;
  expect(seen).toEqual([unit_id]);
  const zombie = await silent.runtime.committer.add({
    kind: 'work',
    task_id: body.id,
    fence: { unit_id, epoch: 1 },
    journal: [{ role: 'assistant', content: 'from the grave' }],
    journal_from: 7,
    ledger: [],
    events: [],
    usage: { tokens: 0, model_calls: 0, tool_calls: 0 },
    model: null,
    input: {
      kind: 'attempt_failed',
      subtask_id: 'x',
      attempt: 1,
      failure: { code: 'x', message: 'x' },
    },
  });
  expect(zombie).toEqual({ outcome: 'refused' });
  expect(await statusOf(body.id)).toBe('completed');
  const types = await eventTypes(body.id);
  expect(types).toContain('run.recovered');
  expect(types.at(-1)).toBe('task.completed');
  await worker.stop();
  await live.close();
  await silent.close();
});

test('a unit that kills whoever starts it becomes a dead letter after three starts', async () => {
  const { runtime, close } = await openRuntime(2);
  const intake = createIntake(runtime);
  let starts = 0;
  const handlers: UnitHandlers = {
    ...easyHandlers([]),
    subtasks: async () => {
      starts += 1;
      throw new Error('poison');
    },
  };
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('p') }), null);
  const ended = untilEnded(runtime, [body.id]);
  const worker = startWorker(runtime, handlers);
  await ended;
  expect(starts).toBe(3);
  expect(await statusOf(body.id)).toBe('failed');
  const [dead] = await test_db.rows<{ dead_reason: string; starts: number }>(
    `SELECT dead_reason, starts FROM units WHERE task_id = $1 AND status = 'dead'`,
    [body.id],
  );
  expect(dead).toEqual({
    starts: 3,
    dead_reason: 'started 3 times without progress: poison',
  });
  await worker.stop();
  await close();
});

test('an aborted task refuses the writes of whoever is still at work', async () => {
  const { runtime, close } = await openRuntime(2);
  const intake = createIntake(runtime);
  let begun: () => void = () => undefined;
  const atWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let aborted = false;
  let refused = false;
  const worker = startWorker(runtime, {
    ...easyHandlers([]),
    subtasks: async (_unit, context) => {
      begun();
      await new Promise<void>((resolve) =>
        context.signals.abort.addEventListener('abort', () => resolve(), { once: true }),
      );
      aborted = true;
      await context.commit({ journal: [{ role: 'assistant', content: 'late' }] }).catch(() => {
        refused = true;
      });
    },
  });
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('s') }), null);
  await atWork;
  await intake.stopTask(caller, body.id, 'abort');
  expect(await statusOf(body.id)).toBe('cancelled');
  await worker.stop();
  expect({ aborted, refused }).toEqual({ aborted: true, refused: true });
  const late = await test_db.rows('SELECT 1 FROM attempt_messages WHERE unit_id LIKE $1', [
    `${body.id}%`,
  ]);
  expect(late).toEqual([]);
  expect((await eventTypes(body.id)).at(-1)).toBe('task.cancelled');
  await close();
});

test('a stopping worker gives its unit back, and another goes on', async () => {
  const first = await openRuntime(1);
  const intake = createIntake(first.runtime);
  let begun: () => void = () => undefined;
  const atWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const leaving = startWorker(first.runtime, {
    ...easyHandlers([]),
    subtasks: async (_unit, context) => {
      begun();
      await new Promise<void>((resolve) =>
        context.signals.drain.addEventListener('abort', () => resolve(), { once: true }),
      );
      context.checkpoint();
    },
  });
  const { body } = await intake.createTask(caller, newTask({ plan: onePlan('d') }), null);
  await atWork;
  await leaving.stop();
  const second = await openRuntime(1);
  const ended = untilEnded(second.runtime, [body.id]);
  const worker = startWorker(second.runtime, easyHandlers([]));
  await ended;
  expect(await statusOf(body.id)).toBe('completed');
  const [unit] = await test_db.rows<{ epoch: number }>('SELECT epoch FROM units WHERE id = $1', [
    `${body.id}.d.1`,
  ]);
  expect(unit?.epoch).toBe(2);
  await worker.stop();
  await second.close();
  await first.close();
});

function onePlan(id: string) {
  return planSchema.parse({ subtasks: [{ id, description: id }] });
}

async function statusOf(taskId: string): Promise<string | undefined> {
  const [row] = await test_db.rows<{ status: string }>('SELECT status FROM tasks WHERE id = $1', [
    taskId,
  ]);
  return row?.status;
}

async function eventTypes(taskId: string): Promise<string[]> {
  const rows = await test_db.rows<{ type: string }>(
    'SELECT type FROM events WHERE task_id = $1 ORDER BY seq',
    [taskId],
  );
  return rows.map(({ type }) => type);
}
