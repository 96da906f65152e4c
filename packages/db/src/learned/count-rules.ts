import { createHash } from 'node:crypto';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import { ruleScope } from './rule-scope.ts';

/** A rule that was heard in a turn. */
interface HeardRule {
  rule: string;
  normal_form: string;
  /** Forms of rules that it takes back. */
  opposes: string[];
}

/** A turn is told apart from so many later ones in which the same was said. */
const maxTurns = 50;

/** Counts what was heard in a turn, once however often it is told; the newest wording stands, what it opposes goes. */
export async function countRules(
  db: Database,
  heard: {
    tenant_id: string;
    workspace: string | null;
    turn_id: string;
    rules: readonly HeardRule[];
  },
): Promise<void> {
  const { tenant_id, turn_id } = heard;
  const scope = ruleScope(heard.workspace);
  // Always in the same order, so that turns which are told at once do not wait for each other.
  const rules = heard.rules.toSorted((a, b) => (a.normal_form < b.normal_form ? -1 : 1));
  const forms = rules.map(({ normal_form }) => normal_form);
  const opposed = rules.flatMap(({ opposes }) => opposes).filter((form) => !forms.includes(form));
  await inTransaction(db, async (client) => {
    await client.query(
      `DELETE FROM learned_rules
        WHERE tenant_id = $1 AND workspace = $2 AND normal_form = ANY ($3)`,
      [tenant_id, scope, opposed],
    );
    await client.query(
      `INSERT INTO learned_rules AS known (id, tenant_id, workspace, normal_form, rule, turns)
        SELECT id, $4, $5, normal_form, rule, ARRAY[$6]
        FROM unnest($1::text[], $2::text[], $3::text[]) AS heard(id, normal_form, rule)
        ON CONFLICT (tenant_id, workspace, normal_form) DO UPDATE SET times = known.times + 1,
          rule = excluded.rule, last_seen_at = now(),
          turns = (known.turns || excluded.turns)[greatest(1, cardinality(known.turns) + 2 - ${maxTurns}):]
        WHERE NOT $6 = ANY (known.turns)`,
      [
        forms.map((form) => ruleId(tenant_id, scope, form)),
        forms,
        rules.map(({ rule }) => rule),
        tenant_id,
        scope,
        turn_id,
      ],
    );
  });
}

function ruleId(...parts: string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `rule_${hash.slice(0, 26)}`;
}
