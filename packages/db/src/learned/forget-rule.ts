import type { Database } from '../database.ts';
import { appendAudit } from '../read/audit.ts';
import { inTransaction } from '../transaction.ts';

/** Forgets a rule of a tenant and writes down who wanted it; false when the tenant has no such rule. */
export async function forgetRule(
  db: Database,
  params: { tenant_id: string; rule_id: string; actor: string },
): Promise<boolean> {
  const { tenant_id, rule_id, actor } = params;
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<{ rule: string; workspace: string; times: number }>(
      `DELETE FROM learned_rules WHERE id = $1 AND tenant_id = $2 RETURNING rule, workspace, times`,
      [rule_id, tenant_id],
    );
    const [forgotten] = rows;
    if (forgotten === undefined) return false;
    const detail = { ...forgotten };
    await appendAudit(client, {
      tenant_id,
      actor,
      action: 'learned.forget',
      target: rule_id,
      detail,
    });
    return true;
  });
}
