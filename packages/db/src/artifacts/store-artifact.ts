import { createHash } from 'node:crypto';
import { newId } from '@loom/shared/ids';
import type { NewArtifact } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';

/** Keeps bytes for the tenant of a unit's call, and gives the reference to them. */
export async function storeArtifact(
  db: Database,
  { unit, call_key }: { unit: ClaimedUnit; call_key: string },
  { name, kind, mime, source, content }: NewArtifact,
): Promise<string> {
  const ref = newId('af');
  const hash = createHash('sha256').update(content).digest('hex');
  const { tenant_id, session_id, turn_id, task_id, subtask_id } = unit;
  await db.pool.query({
    name: 'store-artifact',
    text: `WITH content AS (
        INSERT INTO blobs (tenant_id, hash, size, content) VALUES ($2, $3, $4, $5) ON CONFLICT DO NOTHING)
      INSERT INTO artifacts (ref, tenant_id, hash, size, scope, session_id, turn_id, task_id, subtask_id,
        call_key, name, kind, mime, source)
      VALUES ($1, $2, $3, $4, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    values: [
      ...[ref, tenant_id, hash, content.length, content],
      ...[session_id ?? task_id ?? '', session_id, turn_id, task_id, subtask_id, call_key],
      ...[name, kind, mime, source],
    ],
  });
  return ref;
}
