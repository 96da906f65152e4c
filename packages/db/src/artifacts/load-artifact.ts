import type { StoredArtifact } from '@loom/shared/tool';
import type { Database } from '../database.ts';

/** An artifact with its bytes; null when the tenant has none of this name. */
export async function loadArtifact(
  db: Database,
  { tenant_id, ref }: { tenant_id: string; ref: string },
): Promise<StoredArtifact | null> {
  const { rows } = await db.pool.query<StoredArtifact>({
    name: 'load-artifact',
    text: `SELECT a.ref, a.name, a.kind, a.mime, a.source, b.content
      FROM artifacts a JOIN blobs b ON b.tenant_id = a.tenant_id AND b.hash = a.hash
      WHERE a.ref = $1 AND a.tenant_id = $2`,
    values: [ref, tenant_id],
  });
  return rows[0] ?? null;
}
