import { type Foundation, openFoundation } from '@loom/server/open-foundation';
import { startRoles } from '@loom/server/start-roles';
import { loadConfig } from '@loom/shared/load-config';
import { createLogger } from '@loom/shared/logger';
import type { ServiceRole } from '@loom/shared/queues';
import { type BenchModelOptions, createBenchModels } from './bench-model.ts';

/** What a process of the bench is; plain data, so that it can be sent to one. */
export interface RolesOptions {
  data_dir: string;
  database_url: string;
  redis_url: string | null;
  /** None: a process that only takes tasks in, as a gateway does. */
  roles: ServiceRole[];
  model: BenchModelOptions;
}

export interface OpenRoles {
  foundation: Foundation;
  stop(): Promise<void>;
}

/** Units of each queue that a process works on at once: set for load, as an operator would. */
export const concurrency = 128;

/** The roles of one process, wired by the server's own code; only the model is the bench's. */
export async function openRoles(options: RolesOptions): Promise<OpenRoles> {
  const { roles, data_dir, database_url, redis_url } = options;
  const settings = loadConfig({
    env: {
      LOOM_DATA_DIR: data_dir,
      DATABASE_URL: database_url,
      ...(redis_url === null ? {} : { REDIS_URL: redis_url }),
      LOOM_LIMITS__PLANNER__CONCURRENCY: String(concurrency),
      LOOM_LIMITS__RUNNER__SUBTASKS_CONCURRENCY: String(concurrency),
      LOOM_LIMITS__VERIFIER__CONCURRENCY: String(concurrency),
      LOOM_EXECUTION__MAX_PARALLEL_SUBTASKS: '8',
      LOOM_VERIFICATION__TIER2_ENABLED: 'false',
      LOOM_MEMORY__EXTRACTION_ENABLED: 'false',
      // Never called: it keeps the server from looking for models on this machine.
      LOOM_MODELS__BENCH__PROVIDER: 'demo',
      LOOM_MODELS__BENCH__MODEL: 'demo',
    },
    readFile: () => null,
  });
  const logger = createLogger({ level: 'error', name: 'bench' });
  const foundation = await openFoundation(settings, logger, roles, null);
  const models = createBenchModels(options.model);
  const running = await startRoles({ ...foundation, models }, roles);
  return {
    foundation,
    stop: async () => {
      await running.stop();
      await foundation.close();
    },
  };
}
