import { type Database, openDatabase } from '@loom/db/database';
import { createLogger } from '@loom/shared/logger';

/** The product's way to Postgres, for a part that calls the product's functions itself. */
export function openBenchDatabase(url: string): Promise<Database> {
  return openDatabase({
    url,
    pool_size: 4,
    application_name: 'bench',
    logger: createLogger({ level: 'error', name: 'bench' }),
  });
}
