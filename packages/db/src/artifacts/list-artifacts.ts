import type { ArtifactKind } from '@loom/shared/tool';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from '../read/keyset-cursor.ts';
import { toIso } from '../read/row-values.ts';

/** An artifact without its bytes. */
interface ArtifactEntry {
  ref: string;
  name: string;
  kind: ArtifactKind;
  mime: string;
  size: number;
  source: string;
  task_id: string | null;
  subtask_id: string | null;
  turn_id: string | null;
  created_at: string;
}

interface ListArtifacts {
  tenant_id: string;
  owner: { task_id: string } | { session_id: string };
  limit: number;
  cursor?: string;
}

// Found by the index on scope, which is the session's for a task that was started in one.
const owners = {
  task: `SELECT id, tenant_id, ARRAY[id, session_id] AS scopes, id AS task_id FROM tasks`,
  session: `SELECT id, tenant_id, ARRAY[id] AS scopes, NULL AS task_id FROM sessions`,
};

/** What was kept for a task, or in a session with all its tasks, oldest first; null when the tenant has no such owner. */
export async function listArtifacts(
  db: Database,
  { tenant_id, owner, limit, cursor }: ListArtifacts,
): Promise<Page<ArtifactEntry> | null> {
  const after = decodeCursor(cursor);
  const [kind, id] =
    'task_id' in owner
      ? (['task', owner.task_id] as const)
      : (['session', owner.session_id] as const);
  const { rows } = await db.pool.query<
    (Omit<ArtifactEntry, 'created_at'> & { created_at: Date }) | { ref: null }
  >({
    name: `list-artifacts-of-${kind}`,
    text: `SELECT a.ref, a.name, a.kind, a.mime, a.size, a.source, a.task_id, a.subtask_id, a.turn_id, a.created_at
      FROM (${owners[kind]}) o LEFT JOIN artifacts a
        ON a.tenant_id = o.tenant_id AND a.scope = ANY (o.scopes) AND a.task_id IS NOT DISTINCT FROM coalesce(o.task_id, a.task_id)
        AND ($3::timestamptz IS NULL OR (a.created_at, a.ref) > ($3, $4))
      WHERE o.id = $1 AND o.tenant_id = $2
      ORDER BY a.created_at, a.ref LIMIT $5`,
    values: [id, tenant_id, after?.at ?? null, after?.id ?? null, limit + 1],
  });
  if (rows.length === 0) return null;
  const entries = rows.flatMap((row) =>
    row.ref === null ? [] : [{ ...row, created_at: toIso(row.created_at) }],
  );
  return toPage(entries, limit, ({ created_at, ref }) => ({ at: created_at, id: ref }));
}
