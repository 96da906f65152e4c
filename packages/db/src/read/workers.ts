import type { WorkerInfo } from '@loom/shared/api';
import type { Database } from '../database.ts';
import { toIso } from './row-values.ts';

interface WorkerRow extends Omit<WorkerInfo, 'started_at' | 'last_seen_at'> {
  started_at: Date;
  last_seen_at: Date;
}

/** Workers of every role that were heard of in the last 20 seconds. They serve all tenants. */
export async function listLiveWorkers(db: Database): Promise<WorkerInfo[]> {
  const { rows } = await db.pool.query<WorkerRow>(
    `SELECT id, role, host, started_at, last_seen_at, active, concurrency FROM workers
     WHERE last_seen_at > now() - interval '20 seconds' ORDER BY role, started_at, id LIMIT 1000`,
  );
  return rows.map((row) => ({
    ...row,
    started_at: toIso(row.started_at),
    last_seen_at: toIso(row.last_seen_at),
  }));
}
