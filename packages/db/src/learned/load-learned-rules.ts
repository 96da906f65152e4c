import type { Database } from '../database.ts';
import { ruleScope, tenantWide } from './rule-scope.ts';

/** So many rules fit a prompt, and are followed. */
const maxRules = 15;

/**
 * The rules that hold in a workspace, those said most often and then most recently first. What was
 * said both there and elsewhere is told in the workspace's own words.
 */
export async function loadLearnedRules(
  db: Database,
  place: { tenant_id: string; workspace: string | null },
): Promise<string[]> {
  const { rows } = await db.pool.query<{ rule: string }>({
    name: 'load-learned-rules',
    text: `SELECT (array_agg(rule ORDER BY workspace DESC))[1] AS rule FROM learned_rules
      WHERE tenant_id = $1 AND workspace IN ('${tenantWide}', $2)
      GROUP BY normal_form ORDER BY sum(times) DESC, max(last_seen_at) DESC, normal_form
      LIMIT ${maxRules}`,
    values: [place.tenant_id, ruleScope(place.workspace)],
  });
  return rows.map(({ rule }) => rule);
}
