import type { WorkerRole } from '@loom/shared/queues';
import type { Database } from './database.ts';

export interface WorkerBeat {
  id: string;
  role: WorkerRole;
  host: string;
  active: number;
  concurrency: number;
}

/** Says that these workers live, and how busy they are. */
export async function beatWorkers(db: Database, workers: WorkerBeat[]): Promise<void> {
  await db.pool.query({
    name: 'beat-workers',
    text: `INSERT INTO workers (id, role, host, active, concurrency)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[])
      ON CONFLICT (id) DO UPDATE SET active = excluded.active, concurrency = excluded.concurrency, last_seen_at = now()`,
    values: [
      workers.map(({ id }) => id),
      workers.map(({ role }) => role),
      workers.map(({ host }) => host),
      workers.map(({ active }) => active),
      workers.map(({ concurrency }) => concurrency),
    ],
  });
}

/** Takes workers that stop in good order off the list, and with them those long gone. */
export async function removeWorkers(db: Database, ids: string[]): Promise<void> {
  await db.pool.query(
    `DELETE FROM workers WHERE id = ANY($1) OR last_seen_at < now() - interval '1 hour'`,
    [ids],
  );
}
