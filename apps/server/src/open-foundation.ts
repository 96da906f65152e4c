import { realpath } from 'node:fs/promises';
import { type Database, openDatabase } from '@loom/db/database';
import { createMcpPins } from '@loom/db/mcp/mcp-pins';
import { migrateDatabase } from '@loom/db/migrate';
import { upsertTenantBudget } from '@loom/db/session-budget';
import { createModels } from '@loom/models/create-models';
import { detectModels } from '@loom/models/detect-models';
import { openQueueBackend, type QueueBackend } from '@loom/queue/queue-backend';
import { createRuntime, type Runtime } from '@loom/runtime/create-runtime';
import { AppError } from '@loom/shared/app-error';
import type { Models } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import type { Settings } from '@loom/shared/load-config';
import type { Logger } from '@loom/shared/logger';
import type { ServiceRole } from '@loom/shared/queues';
import type { ToolDefinition, ToolSource } from '@loom/shared/tool';
import type { WakeBus } from '@loom/shared/wake';
import { builtinTools } from '@loom/tools/builtin-tools';
import { openMcpTools } from '@loom/tools/mcp/open-mcp-tools';
import type { FetchPageOptions } from '@loom/tools/net/fetch-page';
import { commandLimits } from '@loom/tools/sandbox/command-limits';
import { probeSandbox } from '@loom/tools/sandbox/probe-sandbox';
import type { ShellOptions } from '@loom/tools/sandbox/shell-options';
import { capacitiesOf } from './capacities.ts';
import { readSearchPath, readSecret } from './env.ts';

/** What every role of a process stands on. */
export interface Foundation {
  settings: Settings;
  logger: Logger;
  db: Database;
  backend: QueueBackend;
  bus: WakeBus;
  runtime: Runtime;
  models: Models;
  tools: ToolDefinition[];
  /** The tools of configured servers, connected when they are first asked for. */
  mcp: ToolSource;
  shell: ShellOptions;
  close(): Promise<void>;
}

/** Opens database, queues, models and tools, in the order in which they need each other. */
export async function openFoundation(
  settings: Settings,
  logger: Logger,
  roles: readonly ServiceRole[],
  embedded: { url: string; stop(): Promise<void> } | null,
): Promise<Foundation> {
  const url = embedded?.url ?? settings.database_url;
  if (url === null) {
    throw new AppError(
      'invalid_config',
      'A single service needs DATABASE_URL: the embedded Postgres belongs to `loom up`.',
    );
  }
  const closers: (() => Promise<void>)[] = embedded === null ? [] : [() => embedded.stop()];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    await migrateDatabase(url);
    const db = await openDatabase({
      url,
      pool_size: poolSize,
      application_name: `loom-${roles.join('+')}`,
      logger,
    });
    closers.push(() => db.close());
    for (const [tenant_id, { budget = {} }] of Object.entries(settings.config.tenants)) {
      await upsertTenantBudget(db.pool, { tenant_id, limits: budget });
    }
    const backend = await openQueueBackend({
      redis_url: settings.redis_url,
      database_url: url,
      prefix: settings.config.execution.queue_prefix,
      logger,
    });
    closers.push(() => backend.close());
    const bus = await backend.openBus();
    closers.push(() => bus.close());
    const runtime = createRuntime({
      db,
      backend,
      bus,
      config: settings.config,
      logger,
      capacities: capacitiesOf(settings.config, roles),
    });
    closers.push(() => runtime.close());
    const { execution } = settings.config;
    const shell: ShellOptions = {
      allow_unsandboxed: execution.allow_unsandboxed_shell,
      network: execution.shell_network,
      hidden_paths: [await realpath(settings.data_dir)],
      sandbox: await probeSandbox(readSearchPath()),
      limits: commandLimits(settings.config),
    };
    const models = await openModels(settings);
    const tools = builtinTools({ shell, fetch: fetchOptions(settings.config) });
    const mcp = openMcpTools({
      servers: settings.config.mcp.servers,
      tenants: settings.config.tenants,
      secret: readSecret,
      shell,
      allow_private: execution.fetch_allow_private_networks,
      pins: createMcpPins(db),
      logger,
    });
    closers.push(() => mcp.close());
    return { settings, logger, db, backend, bus, runtime, models, tools, mcp, shell, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Two flushes, the leases, the sweeper and a handful of readers at once. */
const poolSize = 12;

function fetchOptions({ execution, limits }: Config): FetchPageOptions {
  const { fetch_timeout_seconds, fetch_max_bytes } = limits.runner;
  return {
    allow_private: execution.fetch_allow_private_networks,
    timeout_ms: fetch_timeout_seconds * 1_000,
    max_bytes: fetch_max_bytes,
  };
}

async function openModels({ config }: Settings): Promise<Models> {
  const { execution } = config;
  const configured = Object.keys(config.models).length > 0;
  return createModels({
    models: configured ? config.models : await detectModels({ apiKey: readSecret, fetch }),
    apiKey: readSecret,
    retry: {
      max_attempts: execution.model_call_max_attempts,
      base_delay_ms: execution.model_call_retry_base_delay_seconds * 1_000,
      max_delay_ms: execution.model_call_retry_max_delay_seconds * 1_000,
      jitter_ms: execution.model_call_retry_jitter_seconds * 1_000,
      park_after_ms: execution.model_call_park_after_seconds * 1_000,
    },
    timeout_ms: execution.model_call_timeout_seconds * 1_000,
  });
}
