import type { Runtime } from '@loom/runtime/create-runtime';
import { startWorker, type UnitHandlers } from '@loom/runtime/start-worker';
import type { ServiceRole } from '@loom/shared/queues';
import type { Foundation } from './open-foundation.ts';

export interface RunningRoles {
  /** The gateway's port, if a gateway is among the roles. */
  port: number | null;
  stop(): Promise<void>;
}

/** Starts the roles of this process. Each role's code is loaded only where it runs. */
export async function startRoles(
  foundation: Foundation,
  roles: readonly ServiceRole[],
): Promise<RunningRoles> {
  const handlers = await handlersOf(foundation, roles);
  const worker =
    Object.keys(handlers).length > 0 ? startWorker(foundation.runtime, handlers) : null;
  const gateway = roles.includes('gateway') ? await startGateway(foundation) : null;
  return {
    port: gateway?.port ?? null,
    stop: async () => {
      await gateway?.close();
      await worker?.stop();
    },
  };
}

async function handlersOf(
  { runtime, models, tools, shell, db }: Foundation,
  roles: readonly ServiceRole[],
): Promise<UnitHandlers> {
  const { config }: Runtime = runtime;
  let handlers: UnitHandlers = {};
  if (roles.includes('planner')) {
    const { plannerHandlers } = await import('@loom/planner/handlers');
    handlers = { ...handlers, ...plannerHandlers({ db, models, config }) };
  }
  if (roles.includes('runner')) {
    const { runnerHandlers } = await import('@loom/runner/handlers');
    handlers = { ...handlers, ...runnerHandlers({ runtime, models, tools }) };
  }
  if (roles.includes('verifier')) {
    const { verifierHandlers } = await import('@loom/verifier/handlers');
    handlers = { ...handlers, ...verifierHandlers({ db, models, config, shell }) };
  }
  return handlers;
}

async function startGateway(foundation: Foundation) {
  const { openGateway } = await import('./open-gateway.ts');
  return openGateway(foundation);
}
