import type { Runtime } from '@loom/runtime/create-runtime';
import { startWorker, type UnitHandlers } from '@loom/runtime/start-worker';
import { createWorkerMetrics, type WorkerMetrics } from '@loom/runtime/worker-metrics';
import type { ServiceRole } from '@loom/shared/queues';
import type { Foundation } from './open-foundation.ts';

export interface RunningRoles {
  /** The gateway's port, if a gateway is among the roles. */
  port: number | null;
  metrics: WorkerMetrics;
  stop(): Promise<void>;
}

/** Starts the roles of this process. Each role's code is loaded only where it runs. */
export async function startRoles(
  foundation: Foundation,
  roles: readonly ServiceRole[],
): Promise<RunningRoles> {
  // A gateway shows the metrics of its process itself.
  const metrics = createWorkerMetrics({ process: !roles.includes('gateway') });
  const handlers = await handlersOf(foundation, roles, metrics);
  const worker =
    Object.keys(handlers).length > 0 ? startWorker(foundation.runtime, handlers) : null;
  const gateway = roles.includes('gateway') ? await startGateway(foundation, metrics) : null;
  return {
    port: gateway?.port ?? null,
    metrics,
    stop: async () => {
      await gateway?.close();
      await worker?.stop();
    },
  };
}

async function handlersOf(
  { runtime, tools, mcp, shell, db, ...foundation }: Foundation,
  roles: readonly ServiceRole[],
  metrics: WorkerMetrics,
): Promise<UnitHandlers> {
  const { config }: Runtime = runtime;
  const models = metrics.measured(foundation.models);
  let handlers: UnitHandlers = {};
  if (roles.includes('planner')) {
    const { plannerHandlers } = await import('@loom/planner/handlers');
    handlers = { ...handlers, ...plannerHandlers({ db, models, config }) };
  }
  if (roles.includes('runner')) {
    const { runnerHandlers } = await import('@loom/runner/handlers');
    const observe = metrics.observeTool;
    handlers = { ...handlers, ...runnerHandlers({ runtime, models, tools, mcp, observe }) };
  }
  if (roles.includes('verifier')) {
    const { verifierHandlers } = await import('@loom/verifier/handlers');
    handlers = { ...handlers, ...verifierHandlers({ db, models, config, shell }) };
  }
  return handlers;
}

async function startGateway(foundation: Foundation, metrics: WorkerMetrics) {
  const { openGateway } = await import('./open-gateway.ts');
  return openGateway(foundation, metrics);
}
