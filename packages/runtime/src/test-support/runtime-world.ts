import { type Database, openDatabase } from '@loom/db/database';
import { createApiKey } from '@loom/db/read/api-keys';
import { openQueueBackend } from '@loom/queue/queue-backend';
import { configSchema } from '@loom/shared/config';
import { createLogger } from '@loom/shared/logger';
import { planSchema } from '@loom/shared/plan';
import type { Verdict } from '@loom/shared/verdict';
import { testBackend } from '@loom/testing/backend';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { createRuntime, type Runtime } from '../create-runtime.ts';
import type { UnitHandlers } from '../start-worker.ts';

/** Who asks in these tests. */
export const caller = { tenant_id: 'default', actor: 'key_test' };
const logger = createLogger({ level: 'silent', name: 'test' });
const execution = { lease_seconds: 2, sweep_interval_seconds: 0.2, ring_again_seconds: 1 };
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

const signals = { tier1_ratio: 1, tier2_confidence: null, tool_success: 1, destructive: false };

const plan = planSchema.parse({
  subtasks: [
    { id: 'a', description: 'a' },
    { id: 'b', description: 'b' },
    { id: 'c', description: 'c', depends_on: ['a'] },
    { id: 'end', description: 'end', is_synthesis: true },
  ],
});

/** Handlers that do the least: each attempt succeeds, each verdict passes. */
export function easyHandlers(seen: string[]): UnitHandlers {
  return {
    plans: async ({ attempt }, context) => {
      await context.commit({ input: { kind: 'plan_made', attempt: attempt ?? 0, plan } });
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
          discoveries: [],
        },
      });
    },
    verifications: async ({ subtask_id, attempt }, context) => {
      const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
      await context.commit({ input: { kind: 'verdict_given', ...ref, verdict: passed, signals } });
    },
  };
}

/** A database of one's own, and processes on it. */
export async function openWorld() {
  const test_db: TestDatabase = await createTestDatabase();
  await createApiKey(test_db.database, {
    key: 'k',
    name: 'k',
    scopes: ['user'],
    tenant: 'default',
  });

  const openRuntime = async (
    capacity: number,
    settings: Record<string, unknown> = {},
    sections: Record<string, unknown> = {},
  ): Promise<{ runtime: Runtime; close(): Promise<void> }> => {
    const db: Database = await openDatabase({
      url: test_db.url,
      pool_size: 6,
      application_name: 'runtime-test',
      logger,
    });
    const { redis_url, prefix } = testBackend();
    const backend = await openQueueBackend({
      redis_url,
      database_url: test_db.url,
      prefix,
      logger,
    });
    const bus = await backend.openBus();
    const config = configSchema.parse({
      execution: { ...execution, ...settings },
      memory: { extraction_enabled: false },
      ...sections,
    });
    const capacities = {
      turns: capacity,
      plans: capacity,
      subtasks: capacity,
      verifications: capacity,
      deliveries: capacity,
    };
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
  };

  const statusOf = async (taskId: string): Promise<string | undefined> => {
    const [row] = await test_db.rows<{ status: string }>('SELECT status FROM tasks WHERE id = $1', [
      taskId,
    ]);
    return row?.status;
  };

  const untilEnded = (runtime: Runtime, taskIds: string[]): Promise<void> => {
    const open = new Set(taskIds);
    return new Promise((resolve) => {
      const look = async (ids: string[]): Promise<void> => {
        for (const id of ids.filter((one) => open.has(one))) {
          const status = await statusOf(id);
          if (['completed', 'failed', 'cancelled'].includes(status ?? '')) open.delete(id);
        }
        if (open.size === 0) resolve();
      };
      runtime.bus.subscribe((wake) => {
        if (wake.kind === 'streams') void look(wake.ids);
      });
      void look(taskIds);
    });
  };

  const untilEvent = (runtime: Runtime, taskId: string, type: string): Promise<void> =>
    new Promise((resolve) => {
      const look = async (): Promise<void> => {
        if ((await eventTypes(taskId)).includes(type)) resolve();
      };
      runtime.bus.subscribe((wake) => {
        if (wake.kind === 'streams' && wake.ids.includes(taskId)) void look();
      });
      void look();
    });

  const eventTypes = async (taskId: string): Promise<string[]> => {
    const rows = await test_db.rows<{ type: string }>(
      'SELECT type FROM events WHERE task_id = $1 ORDER BY seq',
      [taskId],
    );
    return rows.map(({ type }) => type);
  };

  return { ...test_db, openRuntime, statusOf, untilEnded, untilEvent, eventTypes };
}

/** A plan of one subtask. */
export function onePlan(id: string) {
  return planSchema.parse({ subtasks: [{ id, description: id }] });
}
