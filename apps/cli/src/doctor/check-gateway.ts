import { workerSchema } from '@loom/shared/api';
import { errorMessage } from '@loom/shared/app-error';
import { workerRoles } from '@loom/shared/queues';
import { z } from 'zod';
import type { ApiClient } from '../api-client.ts';
import { type Check, fail, ok, warn } from './check.ts';

const modelsSchema = z.object({
  items: z.array(z.object({ name: z.string(), provider: z.string() })),
});
const workersSchema = z.object({ items: z.array(workerSchema) });
const readySchema = z.object({ checks: z.record(z.string(), z.string()) });

const silentWorkerMs = 60_000;

/** What a gateway says of itself and of what it depends on. */
export async function checkGateway(client: ApiClient, now: Date): Promise<Check[]> {
  try {
    await client.request('GET', '/healthz');
  } catch (error) {
    return [
      fail('gateway', errorMessage(error), 'start one with "loom up", or name it with --url'),
    ];
  }
  return [
    ok('gateway', `${client.base_url} answers`),
    ...(await checkReady(client)),
    await checkModels(client),
    await checkWorkers(client, now),
  ];
}

async function checkReady(client: ApiClient): Promise<Check[]> {
  const response = await client.open('/readyz', {}, AbortSignal.timeout(10_000));
  const ready = readySchema.safeParse(await response.json().catch(() => null));
  const fix = 'see the log of the gateway, DATABASE_URL and REDIS_URL';
  if (!ready.success) {
    const detail = `/readyz answered ${response.status}`;
    return [response.ok ? ok('dependencies', detail) : fail('dependencies', detail, fix)];
  }
  return Object.entries(ready.data.checks).map(([name, value]) =>
    value === 'ok' ? ok(name, 'reachable') : fail(name, value, fix),
  );
}

async function checkModels(client: ApiClient): Promise<Check> {
  const fix = 'set ANTHROPIC_API_KEY or OPENAI_API_KEY, or add [models.<name>] to loom.toml';
  try {
    const { items } = modelsSchema.parse(await client.request('GET', '/api/models'));
    const real = items.filter(({ provider }) => provider !== 'demo').map(({ name }) => name);
    if (real.length > 0) return ok('models', real.join(', '));
    return items.length > 0
      ? warn('models', 'only the built-in demo model, which is not an AI', fix)
      : fail('models', 'none', fix);
  } catch (error) {
    return fail('models', errorMessage(error), 'give a key with --key or LOOM_API_KEY');
  }
}

async function checkWorkers(client: ApiClient, now: Date): Promise<Check> {
  try {
    const { items } = workersSchema.parse(await client.request('GET', '/api/admin/workers'));
    const alive = items.filter(
      ({ last_seen_at }) => now.getTime() - Date.parse(last_seen_at) < silentWorkerMs,
    );
    const count = (role: string) => alive.filter((worker) => worker.role === role).length;
    const missing = workerRoles.filter((role) => count(role) === 0);
    const detail = workerRoles.map((role) => `${count(role)} ${role}`).join(', ');
    if (missing.length === 0) return ok('workers', detail);
    return fail(
      'workers',
      detail,
      `start ${missing.map((role) => `"loom serve ${role}"`).join(', ')}`,
    );
  } catch (error) {
    return warn('workers', errorMessage(error), 'use an admin key to see them');
  }
}
