import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTask } from '@loom/db/read/tasks';
import { createIntake } from '@loom/runtime/intake';
import { caller } from '@loom/runtime/test-support/runtime-world';
import { loadConfig } from '@loom/shared/load-config';
import { createLogger } from '@loom/shared/logger';
import { isTerminalTask } from '@loom/shared/statuses';
import { testBackend } from '@loom/testing/backend';
import { newTask, plan } from '@loom/testing/builders';
import { text, toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { createTestDatabase } from '@loom/testing/test-database';
import { writeToml } from '@loom/testing/write-toml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureDataDir } from './ensure-data-dir.ts';
import { type Foundation, openFoundation } from './open-foundation.ts';
import { type RunningRoles, startRoles } from './start-roles.ts';

const logger = createLogger({ level: 'silent', name: 'roles-test' });
const roles = ['gateway', 'runner', 'verifier'] as const;
let base: string;
let model: ScriptedModel;
let foundation: Foundation;
let running: RunningRoles | null = null;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'loom-roles-')));
  model = await startScriptedModel();
  const database = await createTestDatabase();
  const { redis_url, prefix } = testBackend();
  const provider = { provider: 'openai-compatible', base_url: model.url, model: 'm' };
  const file = writeToml({ 'models.m': provider, execution: { queue_prefix: prefix } });
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis_url ?? undefined,
    LOOM_DATA_DIR: join(base, 'data'),
    LOOM_PORT: '0',
  };
  await ensureDataDir(env.LOOM_DATA_DIR);
  const settings = loadConfig({ env, readFile: () => file });
  foundation = await openFoundation(settings, logger, roles, null);
  await database.rows(`INSERT INTO tenants (id) VALUES ('default') ON CONFLICT DO NOTHING`);
});
afterAll(async () => {
  await running?.stop();
  await foundation.close();
  await rm(base, { recursive: true, force: true });
});

it('fails an attempt in plain words when its workspace is gone, and counts what was called', async () => {
  const workspace = await mkdtemp(join(base, 'workspace-'));
  const accepted = await createIntake(foundation.runtime).createTask(
    caller,
    newTask({
      workspace,
      approval_mode: 'disabled',
      plan: plan({
        id: 'a',
        description: 'Write a.md.',
        deliverables: ['a.md'],
        max_retries: 0,
        // Its failure ends the task, without a planner.
        is_critical_path: true,
      }),
    }),
    null,
  );
  await rm(workspace, { recursive: true });
  model.once(
    'executor',
    toolCalls([{ name: 'write_file', arguments: { path: 'a.md', content: 'a' } }]),
  );
  model.once('executor', text('I could not write it.'));
  running = await startRoles(foundation, roles);
  const key = { tenant_id: caller.tenant_id, task_id: accepted.body.id };
  let task = await getTask(foundation.db, key);
  while (task !== null && !isTerminalTask(task.status)) task = await getTask(foundation.db, key);
  expect(task?.status).toBe('failed');
  const [attempt] = task?.subtasks[0]?.attempts ?? [];
  const said = `the workspace ${workspace} does not exist`;
  expect(attempt).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(attempt)).toContain(said);
  expect(JSON.stringify(task?.errors)).not.toContain('internal');
  const metrics = await (await fetch(`http://127.0.0.1:${running.port}/metrics`)).text();
  expect(metrics).toContain('loom_tool_calls_total{tool="write_file",outcome="failed"} 1\n');
  expect(metrics).toContain('loom_model_calls_total{role="executor",outcome="ok"} 2\n');
  const families = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(families).toContain('process_cpu_seconds_total');
  expect(new Set(families).size).toBe(families.length);
});
