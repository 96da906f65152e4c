import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceRole } from '@loom/shared/queues';
import { type Client, createClient } from './api-client.ts';
import { testBackend } from './backend.ts';
import { onFileEnd } from './file-end.ts';
import { type PrivateRedis, startPrivateRedis } from './private-redis.ts';
import { type LoomProcess, type ServiceOptions, startService } from './processes.ts';
import type { ScriptedModel } from './scripted-model-server.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { type ConfigTables, mergeConfig, writeToml } from './write-toml.ts';

export interface ClusterOptions {
  gateways?: number;
  planners?: number;
  runners?: number;
  verifiers?: number;
  /** That of the test project unless given. */
  backend?: 'postgres' | 'redis';
  model: ScriptedModel;
  /** Laid over the harness's own settings, table by table. */
  config?: ConfigTables;
  env?: Record<string, string>;
  /** More directories in which workspaces may lie, or that may be read. */
  roots?: string[];
}

/** A scaled-out deployment of real processes, on a database and a Redis of its own. */
export interface Cluster {
  /** Addresses of the gateways. */
  gateways: string[];
  /** An admin key. */
  key: string;
  client: Client;
  processes: LoomProcess[];
  /** The processes of one role. */
  of(role: ServiceRole): LoomProcess[];
  /** Starts one more process of a role. */
  add(role: ServiceRole | 'up', env?: Record<string, string>): Promise<LoomProcess>;
  database: TestDatabase;
  /** Null on the Postgres backend, and where only a shared Redis can be had. */
  redis: PrivateRedis | null;
  /** The directory below which all workspaces lie. */
  workspaces: string;
  /** Makes an empty workspace and returns its path. */
  newWorkspace(name?: string): Promise<string>;
  stop(): Promise<void>;
}

const harnessConfig: ConfigTables = {
  // So that the effect recorder can be reached from the shell tool.
  execution: { shell_network: true, allow_unsandboxed_shell: true },
  server: { rate_limit_per_minute: 1_000_000 },
  // Only tests of what is learnt wait for it and have a model answer for it.
  memory: { extraction_enabled: false },
  // Nobody answers: tests of approvals set the mode they are about.
  approval: { mode: 'disabled' },
};

/** Starts one process of each role, or as many as asked for, and waits until all are ready. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const database = await createTestDatabase();
  const workspaces = await mkdtemp(join(tmpdir(), 'loom-workspaces-'));
  onFileEnd(() => rm(workspaces, { recursive: true, force: true }));
  const backend = options.backend ?? testBackend().kind;
  const redis = backend === 'redis' ? await startPrivateRedis() : null;
  if (redis !== null) onFileEnd(() => redis.stop());
  const redisUrl = backend === 'redis' ? (redis?.url ?? testBackend().redis_url) : null;
  const key = `loom_test_${randomBytes(16).toString('hex')}`;

  const own = {
    execution: { queue_prefix: `test-${randomBytes(6).toString('hex')}` },
    'models.scripted': {
      provider: 'openai-compatible',
      base_url: options.model.url,
      model: 'scripted',
    },
  };
  const service: ServiceOptions = {
    config: writeToml(mergeConfig(harnessConfig, own, options.config ?? {})),
    env: {
      DATABASE_URL: database.url,
      ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
      LOOM_ADMIN_KEY: key,
      LOOM_WORKSPACE_ROOTS: [workspaces, ...(options.roots ?? [])].join(':'),
      ...options.env,
    },
  };
  const wanted: ServiceRole[] = [
    ...Array<ServiceRole>(options.gateways ?? 1).fill('gateway'),
    ...Array<ServiceRole>(options.planners ?? 1).fill('planner'),
    ...Array<ServiceRole>(options.runners ?? 1).fill('runner'),
    ...Array<ServiceRole>(options.verifiers ?? 1).fill('verifier'),
  ];
  const processes = await Promise.all(wanted.map((role) => startService(role, service)));
  const of = (role: ServiceRole) => processes.filter((started) => started.name === role);
  const gateways = of('gateway').map((gateway) => gateway.url);
  let workspaceCount = 0;

  return {
    gateways,
    key,
    client: createClient({ url: gateways, key }),
    processes,
    of,
    async add(role, env = {}) {
      const added = await startService(role, { ...service, env: { ...service.env, ...env } });
      processes.push(added);
      return added;
    },
    database,
    redis,
    workspaces,
    async newWorkspace(name) {
      workspaceCount += 1;
      const path = join(workspaces, name ?? `workspace-${workspaceCount}`);
      await mkdir(path, { recursive: true });
      return path;
    },
    async stop() {
      await Promise.all(processes.map((started) => started.stop()));
    },
  };
}
