import { afterEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../api-client.ts';
import {
  json,
  problem,
  type ScriptedGateway,
  startScriptedGateway,
} from '../testing/scripted-gateway.ts';
import { fail, ok } from './check.ts';
import { checkGateway } from './check-gateway.ts';
import { checkMachine, checkNode } from './check-machine.ts';
import { renderChecks } from './render-checks.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const now = new Date('2026-01-01T00:01:00Z');

function worker(role: string, last_seen_at: string) {
  const started_at = '2026-01-01T00:00:00Z';
  return { id: role, role, host: 'h', started_at, last_seen_at, active: 0, concurrency: 1 };
}

async function examine(routes: Parameters<typeof startScriptedGateway>[0]) {
  gateway = await startScriptedGateway({ 'GET /healthz': json({ status: 'ok' }), ...routes });
  const client = createApiClient({ base_url: gateway.base_url, key: null });
  const checks = await checkGateway(client, now);
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

describe('doctor', () => {
  it('knows the oldest Node that works', () => {
    expect(checkNode('20.18.3').status).toBe('fail');
    expect(checkNode('20.19.0').status).toBe('ok');
    expect(checkNode('24.1.0').status).toBe('ok');
  });

  it('names what is wrong with the configuration', async () => {
    const checks = await checkMachine({ LOOM_PORT: 'http' });
    expect(checks.find(({ name }) => name === 'config')).toMatchObject({
      status: 'fail',
      detail: 'LOOM_PORT: must be a number',
    });
  });

  it('is content with a healthy gateway', async () => {
    const seen = '2026-01-01T00:00:55Z';
    const roles = ['planner', 'runner', 'verifier'];
    const checks = await examine({
      'GET /readyz': json({ status: 'ok', checks: { database: 'ok', redis: 'ok' } }),
      'GET /api/models': json({ items: [{ name: 'local', provider: 'openai-compatible' }] }),
      'GET /api/admin/workers': json({ items: roles.map((role) => worker(role, seen)) }),
    });
    expect(Object.values(checks).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'gateway ok',
      'database ok',
      'redis ok',
      'models ok',
      'workers ok',
    ]);
  });

  it('tells what is missing and what to do', async () => {
    const workers = [
      worker('planner', '2026-01-01T00:00:55Z'),
      worker('runner', '2025-12-31T23:00:00Z'),
    ];
    const down = { status: 'unavailable', checks: { database: 'refused' } };
    const checks = await examine({
      'GET /readyz': json(down, 503),
      'GET /api/models': json({ items: [{ name: 'demo', provider: 'demo' }] }),
      'GET /api/admin/workers': json({ items: workers }),
    });
    expect(checks.database?.status).toBe('fail');
    expect(checks.models?.status).toBe('warn');
    expect(checks.workers).toMatchObject({
      status: 'fail',
      detail: '1 planner, 0 runner, 0 verifier',
      fix: 'start "loom serve runner", "loom serve verifier"',
    });
  });

  it('does not blame the workers on a key that may not see them', async () => {
    const refuse = problem(403, 'forbidden', 'This needs an admin key.');
    const checks = await examine({ 'GET /api/admin/workers': refuse });
    expect(checks.workers).toMatchObject({ status: 'warn', detail: 'This needs an admin key.' });
  });

  it('puts the remedy below the finding', () => {
    const checks = [ok('node', '24.1.0'), fail('models', 'none', 'add one')];
    expect(renderChecks(checks)).toBe(
      'ok    node    24.1.0\nfail  models  none\n              add one',
    );
  });
});
