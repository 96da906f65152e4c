import { startEmbeddedPostgres } from '@loom/db/embedded-postgres';
import { armFaultPoint } from '@loom/shared/fault-point';
import type { Settings } from '@loom/shared/load-config';
import { createLogger } from '@loom/shared/logger';
import { type ServiceRole, serviceRoles } from '@loom/shared/queues';
import { printBanner } from './banner.ts';
import { ensureDataDir } from './ensure-data-dir.ts';
import { readSettings } from './env.ts';
import { startHealthServer } from './health-server.ts';
import { type Foundation, openFoundation } from './open-foundation.ts';
import { startRoles } from './start-roles.ts';
import { untilSignal } from './until-signal.ts';

interface ServerOptions {
  flags: Record<string, unknown>;
}

/** Everything in one process: database, gateway and all workers, until it is told to stop. */
export async function up({ flags }: ServerOptions): Promise<void> {
  const settings = readSettings(flags);
  await ensureDataDir(settings.data_dir);
  const logger = createLogger({ level: settings.log_level, name: 'loom' });
  const embedded =
    settings.database_url === null
      ? await startEmbeddedPostgres({ data_dir: settings.data_dir, logger })
      : null;
  await run(await openFoundation(settings, logger, serviceRoles, embedded), serviceRoles);
}

/** One role of a scaled-out deployment. */
export async function serve(role: ServiceRole, { flags }: ServerOptions): Promise<void> {
  const settings = readSettings(flags);
  await ensureDataDir(settings.data_dir);
  const logger = createLogger({ level: settings.log_level, name: `loom-${role}` });
  await run(await openFoundation(settings, logger, [role], null), [role]);
}

async function run(foundation: Foundation, roles: readonly ServiceRole[]): Promise<void> {
  const { settings, logger } = foundation;
  armFault(settings);
  const running = await startRoles(foundation, roles);
  const needsHealth = settings.health_port !== null && !roles.includes('gateway');
  const health = needsHealth
    ? await startHealthServer(foundation, settings.health_port ?? 0, running.metrics)
    : null;
  await printBanner(foundation, roles, running.port ?? health?.port ?? null);
  await untilSignal({
    logger,
    grace_ms: settings.config.execution.grace_seconds * 1_000,
    stop: async () => {
      await health?.close();
      await running.stop();
      await foundation.close();
    },
  });
}

function armFault({ fault }: Settings): void {
  if (fault !== null) armFaultPoint(fault.point, fault.hit);
}
