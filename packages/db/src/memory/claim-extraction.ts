import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';

interface ClaimExtraction {
  unit_id: string;
  epoch: number;
  owner: string;
  lease_seconds: number;
  max_starts: number;
}

type ExtractionClaim =
  | { outcome: 'claimed'; unit: ClaimedUnit }
  | { outcome: 'dead'; reason: string }
  | { outcome: 'refused' };

interface ClaimedRow {
  tenant_id: string;
  task_id: string;
  subtask_id: string;
  attempt: number;
  session_id: string | null;
  dead_reason: string | null;
}

/** Takes an extraction up, if it still waits in this epoch; one that was started too often is given up. */
export async function claimExtraction(
  db: Database,
  params: ClaimExtraction,
): Promise<ExtractionClaim> {
  const { unit_id, epoch, owner, lease_seconds, max_starts } = params;
  const { rows } = await db.pool.query<ClaimedRow>({
    name: 'claim-extraction',
    text: `UPDATE units u SET epoch = epoch + 1, updated_at = now(),
        status = CASE WHEN r.spent THEN 'dead' ELSE 'claimed' END,
        dead_reason = CASE WHEN r.spent
          THEN concat('started ', starts, ' times without progress', ': ' || last_error) END,
        starts = starts + (NOT r.spent)::int,
        owner = CASE WHEN r.spent THEN owner ELSE $3 END,
        lease_until = CASE WHEN NOT r.spent THEN now() + $4 * interval '1 second' END,
        parked_seconds = parked_seconds + coalesce(extract(epoch FROM now() - parked_at), 0),
        available_at = NULL, parked_for = NULL, parked_at = NULL
      FROM (SELECT id AS found, starts >= $5 AS spent FROM units
        WHERE id = $1 AND epoch = $2 AND status = 'waiting' FOR UPDATE) r
      WHERE u.id = r.found
      RETURNING tenant_id, task_id, subtask_id, attempt, session_id, dead_reason`,
    values: [unit_id, epoch, owner, lease_seconds, max_starts],
  });
  const [row] = rows;
  if (row === undefined) return { outcome: 'refused' };
  const { dead_reason, ...place } = row;
  if (dead_reason !== null) return { outcome: 'dead', reason: dead_reason };
  const claim = { unit_id, epoch: epoch + 1, queue: 'deliveries', turn_id: null } as const;
  return { outcome: 'claimed', unit: { ...claim, ...place, metered: false } };
}
