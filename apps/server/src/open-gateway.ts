import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createGateway } from '@loom/gateway/create-gateway';
import { createQueueAdmin } from '@loom/queue/create-queue-admin';
import { catalogTools } from '@loom/runner/catalog/catalog-tools';
import { todoToolSpecs } from '@loom/runner/todos/todo-tool-specs';
import { createIntake } from '@loom/runtime/intake';
import type { WorkerMetrics } from '@loom/runtime/worker-metrics';
import { errorMessage } from '@loom/shared/app-error';
import type { ToolInfo } from '@loom/shared/tool';
import { conversationToolSpecs } from '@loom/tools/conversation-tools';
import { createToolRegistry } from '@loom/tools/registry';
import { toToolSpec } from '@loom/tools/tool-spec';
import { findRoot } from './find-root.ts';
import type { Foundation } from './open-foundation.ts';
import { version } from './version.ts';

/** Wires the gateway to its process and starts it to listen. */
export async function openGateway(foundation: Foundation, metrics: WorkerMetrics) {
  const { settings, db, backend, bus, runtime, models, logger } = foundation;
  const { server } = settings.config;
  const webRoot = join(findRoot(), 'apps/web/dist');
  const gateway = createGateway({
    db,
    intake: createIntake(runtime),
    queueAdmin: createQueueAdmin(runtime.ringer),
    bus,
    tools: toolInfos(foundation),
    models: models.list(),
    workerMetrics: metrics.render,
    config: {
      max_body_bytes: server.max_body_bytes,
      rate_limit_per_minute: server.rate_limit_per_minute,
      workspace_roots: settings.workspace_roots,
      default_workspace: join(settings.data_dir, 'workspaces'),
      mcp: { servers: settings.config.mcp.servers, tenants: settings.config.tenants },
      allow_private_callbacks: settings.config.webhooks.allow_private_networks,
    },
    webRoot: existsSync(webRoot) ? webRoot : null,
    logger,
    version,
    isReady: async () => {
      const checks = {
        database: await outcome(() => db.pool.query('SELECT 1')),
        queue: await outcome(() => backend.ping()),
      };
      return { ok: Object.values(checks).every((check) => check === 'ok'), checks };
    },
  });
  return gateway.listen({ host: settings.host, port: settings.port });
}

async function outcome(check: () => Promise<unknown>): Promise<string> {
  try {
    await check();
    return 'ok';
  } catch (error) {
    return errorMessage(error);
  }
}

/** Every tool there is: those of the workspace and those of the conversation. */
function toolInfos({ tools, settings }: Foundation): ToolInfo[] {
  const { max_tool_output_chars } = settings.config.limits.runner;
  const builtin = createToolRegistry(tools, { max_output_chars: max_tool_output_chars }).list();
  const conversation = [
    ...Object.values({ ...conversationToolSpecs, ...todoToolSpecs }),
    ...catalogTools(() => []),
  ].map((tool) => ({
    ...toToolSpec(tool),
    effect: tool.effect,
    available: true,
    unavailable_reason: null,
  }));
  return [...builtin, ...conversation];
}
