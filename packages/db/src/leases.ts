import type { Ring } from '@loom/shared/queues';
import type { UnitFence } from '@loom/shared/work';
import type { Database } from './database.ts';

/** Extends this process's leases; what is not returned is not ours any more. */
export async function renewLeases(
  db: Database,
  fences: UnitFence[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: 'renew-leases',
    text: `UPDATE units u SET lease_until = now() + $3 * interval '1 second'
      FROM unnest($1::text[], $2::int[]) AS r(id, epoch)
      WHERE u.id = r.id AND u.epoch = r.epoch AND u.status = 'claimed' RETURNING u.id`,
    values: [fences.map(({ unit_id }) => unit_id), fences.map(({ epoch }) => epoch), leaseSeconds],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Gives a unit back unfinished, with the reason; someone else may start it at once. */
export async function releaseUnit(
  db: Database,
  fence: UnitFence,
  reason: { error: string | null; counts_as_start: boolean },
): Promise<Ring | null> {
  const { rows } = await db.pool.query<Ring>({
    name: 'release-unit',
    text: `UPDATE units SET status = 'waiting', lease_until = NULL, rung_at = now(), updated_at = now(),
        last_error = coalesce($3, last_error), starts = CASE WHEN $4 THEN starts ELSE greatest(starts - 1, 0) END
      WHERE id = $1 AND epoch = $2 AND status = 'claimed' RETURNING queue, tenant_id, id AS unit_id, epoch`,
    values: [fence.unit_id, fence.epoch, reason.error, reason.counts_as_start],
  });
  return rows[0] ?? null;
}

/** Most units a sweep brings back at once, so that a long queue is not rung again as a whole. */
const sweepLimit = 500;

/**
 * Finds units whose time has come: those whose owner went silent and those that parked until now,
 * which wait again, and those that have waited long since they were rung, whose ring may be lost.
 */
export async function sweepUnits(db: Database, ringAgainSeconds: number): Promise<Ring[]> {
  const { rows } = await db.pool.query<Ring>({
    name: 'sweep-units',
    text: `WITH expired AS (
        SELECT id FROM units WHERE status = 'claimed' AND lease_until < now()
        ORDER BY lease_until LIMIT ${sweepLimit} FOR UPDATE SKIP LOCKED),
      unheard AS (
        SELECT id FROM units WHERE status = 'waiting' AND rung_at < now() - $1 * interval '1 second'
        ORDER BY rung_at LIMIT ${sweepLimit} FOR UPDATE SKIP LOCKED),
      due AS (
        SELECT id FROM units WHERE status = 'parked' AND available_at <= now()
        ORDER BY available_at LIMIT ${sweepLimit} FOR UPDATE SKIP LOCKED)
      UPDATE units u SET status = 'waiting', lease_until = NULL, available_at = NULL, rung_at = now(), updated_at = now(),
        last_error = CASE WHEN u.status = 'claimed' THEN coalesce(u.last_error, 'its worker went silent')
          ELSE u.last_error END
      WHERE u.id IN (SELECT id FROM expired UNION ALL SELECT id FROM unheard UNION ALL SELECT id FROM due)
      RETURNING queue, tenant_id, id AS unit_id, epoch`,
    values: [ringAgainSeconds],
  });
  return rows;
}

/** Tasks for which an instant that their engine waits for has come. */
export async function findDueTasks(
  db: Database,
): Promise<{ task_id: string; tenant_id: string }[]> {
  const { rows } = await db.pool.query<{ task_id: string; tenant_id: string }>({
    name: 'find-due-tasks',
    text: `SELECT id AS task_id, tenant_id FROM tasks WHERE wake_at <= now()
      ORDER BY wake_at LIMIT ${sweepLimit}`,
  });
  return rows;
}
