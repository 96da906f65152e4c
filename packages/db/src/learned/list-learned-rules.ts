import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from '../read/keyset-cursor.ts';
import { toIso } from '../read/row-values.ts';
import { tenantWide } from './rule-scope.ts';

interface LearnedRule {
  id: string;
  /** Null: it holds in all workspaces of the tenant. */
  workspace: string | null;
  rule: string;
  times: number;
  created_at: string;
  last_seen_at: string;
}

interface LearnedRow extends Omit<LearnedRule, 'created_at' | 'last_seen_at'> {
  created_at: Date;
  last_seen_at: Date;
}

/** A tenant's rules, newest first; `workspaces` are the spellings of one directory, in which they shall hold. */
export async function listLearnedRules(
  db: Database,
  params: { tenant_id: string; workspaces: string[] | null; limit: number; cursor?: string },
): Promise<Page<LearnedRule>> {
  const after = decodeCursor(params.cursor);
  const scopes = params.workspaces === null ? null : [tenantWide, ...params.workspaces];
  const { rows } = await db.pool.query<LearnedRow>(
    `SELECT id, nullif(workspace, '${tenantWide}') AS workspace, rule, times, created_at, last_seen_at
      FROM learned_rules
      WHERE tenant_id = $1 AND ($2::text[] IS NULL OR workspace = ANY ($2))
        AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4))
      ORDER BY created_at DESC, id DESC LIMIT $5`,
    [params.tenant_id, scopes, after?.at ?? null, after?.id ?? null, params.limit + 1],
  );
  const rules = rows.map(({ created_at, last_seen_at, ...row }) => ({
    ...row,
    created_at: toIso(created_at),
    last_seen_at: toIso(last_seen_at),
  }));
  return toPage(rules, params.limit, ({ created_at, id }) => ({ at: created_at, id }));
}
