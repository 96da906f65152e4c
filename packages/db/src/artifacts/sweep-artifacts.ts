import type { Database } from '../database.ts';
import { inTransaction, type Transaction } from '../transaction.ts';

/** How long, how many and how much is kept. A scope's newest is kept whatever its size. */
interface Retention {
  max_age_days: number;
  max_files_per_scope: number;
  max_bytes_per_scope: number;
}

interface Swept {
  artifacts: number;
  blobs: number;
}

/** Artifacts that one transaction removes, and transactions in a row: whatever is left can wait. */
const stepSize = 200;
const maxSteps = 25;

const lockNotAvailable = '55P03';

/**
 * Removes artifacts beyond their retention, and the bytes that nothing refers to any more. Any
 * number of processes may call it at once: one of them sweeps.
 */
export async function sweepArtifacts(db: Database, retention: Retention): Promise<Swept> {
  const swept: Swept = { artifacts: 0, blobs: 0 };
  for (let step = 0; step < maxSteps; step++) {
    const removed = await sweepStep(db, retention);
    swept.artifacts += removed.artifacts;
    swept.blobs += removed.blobs;
    if (removed.artifacts < stepSize) break;
  }
  return swept;
}

async function sweepStep(db: Database, retention: Retention): Promise<Swept> {
  const nothing = { artifacts: 0, blobs: 0 };
  try {
    return await inTransaction(db, async (client) => {
      if (!(await becomeSweeper(client))) return nothing;
      const hashes = await removeArtifacts(client, retention);
      if (hashes.length === 0) return nothing;
      return { artifacts: hashes.length, blobs: await removeBlobs(client, hashes) };
    });
  } catch (error) {
    // Someone stores at length just now: the whole step is left for the next sweep.
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable)
      return nothing;
    throw error;
  }
}

async function becomeSweeper(client: Transaction): Promise<boolean> {
  const { rows } = await client.query<{ alone: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('sweep-artifacts', 0)) AS alone`,
  );
  return rows[0]?.alone ?? false;
}

interface BlobKey {
  tenant_id: string;
  hash: string;
}

// Only scopes that grew within a day are counted: the others were within their bounds before.
async function removeArtifacts(client: Transaction, retention: Retention): Promise<BlobKey[]> {
  const { rows } = await client.query<BlobKey>({
    name: 'sweep-artifacts',
    text: `WITH grown AS (
        SELECT DISTINCT tenant_id, scope FROM artifacts WHERE created_at > now() - interval '1 day'),
      counted AS (
        SELECT a.ref, row_number() OVER newest AS place, sum(a.size) OVER newest AS bytes
        FROM grown g JOIN artifacts a ON a.tenant_id = g.tenant_id AND a.scope = g.scope
        WINDOW newest AS (PARTITION BY a.tenant_id, a.scope ORDER BY a.created_at DESC, a.ref DESC)),
      beyond AS (
        SELECT ref FROM counted WHERE place > 1 AND (place > $2 OR bytes > $3)
        UNION
        SELECT ref FROM artifacts WHERE created_at < now() - $1 * interval '1 day'
        LIMIT ${stepSize})
      DELETE FROM artifacts a USING beyond b WHERE a.ref = b.ref RETURNING a.tenant_id, a.hash`,
    values: [retention.max_age_days, retention.max_files_per_scope, retention.max_bytes_per_scope],
  });
  return rows;
}

/**
 * Whoever stores bytes refers to them in the same statement. While none of them is under way, and
 * none can begin, what nothing refers to is garbage; without the lock, one that found the bytes
 * there already could be about to refer to them, unseen.
 */
async function removeBlobs(client: Transaction, keys: readonly BlobKey[]): Promise<number> {
  await client.query(`SET LOCAL lock_timeout = '2s'`);
  await client.query('LOCK TABLE blobs IN SHARE ROW EXCLUSIVE MODE');
  const { rowCount } = await client.query({
    name: 'sweep-blobs',
    text: `DELETE FROM blobs b USING unnest($1::text[], $2::text[]) AS k(tenant_id, hash)
      WHERE b.tenant_id = k.tenant_id AND b.hash = k.hash
        AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.tenant_id = b.tenant_id AND a.hash = b.hash)
        AND NOT EXISTS (SELECT 1 FROM file_changes f
          WHERE f.tenant_id = b.tenant_id AND f.before_hash = b.hash AND f.before_kept)`,
    values: [keys.map(({ tenant_id }) => tenant_id), keys.map(({ hash }) => hash)],
  });
  return rowCount ?? 0;
}
