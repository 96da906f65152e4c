import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceRoles } from '@loom/shared/queues';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const serviceSchema = z.object({
  image: z.string(),
  user: z.string().optional(),
  command: z.array(z.string()),
  container_name: z.string().optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  cap_drop: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()).min(2) }),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()),
});

const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const { services, volumes } = composeSchema.parse(parse(text, { merge: true }));
const service = (name: string) => serviceSchema.parse(services[name]);
const roles = Object.fromEntries(serviceRoles.map((role) => [role, service(role)]));

test('runs every role as a service of its own, on Postgres and Redis', () => {
  expect(Object.keys(services).sort()).toEqual(['postgres', 'redis', ...serviceRoles].sort());
  for (const [role, { command, depends_on, environment, user, cap_drop }] of Object.entries(
    roles,
  )) {
    expect(command).toEqual(['serve', role]);
    const healthy = { condition: 'service_healthy' };
    expect(depends_on).toEqual({ postgres: healthy, redis: healthy });
    expect(environment).toMatchObject({
      DATABASE_URL: expect.stringContaining('@postgres:5432/'),
      REDIS_URL: expect.stringContaining('@redis:6379'),
    });
    expect({ user, cap_drop }).toEqual({ user: 'node', cap_drop: ['ALL'] });
  }
});

test('shares the workspaces, under one path, with all who open them, and with nobody else', () => {
  const [gateway, planner, runner, verifier] = ['gateway', 'planner', 'runner', 'verifier'].map(
    (name) => service(name).volumes,
  );
  expect(gateway).toEqual(['workspace:/workspace', 'data:/data']);
  expect([runner, verifier]).toEqual([gateway, gateway]);
  expect(planner).toEqual([]);
  for (const { environment } of Object.values(roles)) {
    expect(environment).toMatchObject({
      LOOM_WORKSPACE_ROOTS: '/workspace',
      // Sessions that name no workspace get one in there.
      LOOM_DATA_DIR: '/data',
    });
  }
  const mounted = Object.values(services).flatMap((one) => one.volumes.map((v) => v.split(':')[0]));
  expect(Object.keys(volumes).sort()).toEqual([...new Set(mounted)].sort());
});

test('lets any number of each worker run: nothing of a worker exists only once', () => {
  for (const name of ['planner', 'runner', 'verifier']) {
    const { ports, container_name } = service(name);
    expect({ ports, container_name }).toEqual({ ports: [], container_name: undefined });
  }
  expect(service('gateway').ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:.*-.*:7420$/)]);
});

test('opens what bubblewrap needs where commands run, and nowhere else', () => {
  const needed = ['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'];
  for (const [role, { security_opt }] of Object.entries(roles)) {
    const runsCommands = ['runner', 'verifier'].includes(role);
    const more = runsCommands ? needed : [];
    expect(security_opt).toEqual(['no-new-privileges:true', ...more]);
  }
});

test('keeps queues through a restart and evicts nothing', () => {
  const { command, volumes: mounts } = service('redis');
  expect(command.join(' ')).toContain('--appendonly yes --maxmemory-policy noeviction');
  expect(command.join(' ')).toContain('--requirepass');
  expect(mounts).toEqual(['redis:/data']);
});

test('takes every secret from the environment, and gives the admin key to the gateway alone', () => {
  for (const [name, { environment }] of Object.entries(services)) {
    for (const [variable, value] of Object.entries(environment)) {
      if (/KEY|PASSWORD|AUTH/.test(variable)) expect(value).toMatch(/^\$\{[A-Z_]+:-(loom)?\}$/);
    }
    expect('LOOM_ADMIN_KEY' in environment).toBe(name === 'gateway');
  }
});
