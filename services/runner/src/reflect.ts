import type { Database } from '@loom/db/database';
import { countRules } from '@loom/db/learned/count-rules';
import { loadFollowUps } from '@loom/db/learned/load-follow-ups';
import { findCorrections } from '@loom/engine/reflection/find-corrections';

/**
 * Learns from what a user corrected with the messages of a turn; told twice, it counts once. Nothing
 * waits for this and nothing fails with it: it never rejects, and a failure leaves a line in the log.
 */
export async function reflectOnTurn(
  db: Database,
  turn: { tenant_id: string; session_id: string; turn_id: string },
  logger: { warn(fields: object, text: string): void },
): Promise<void> {
  try {
    const followUps = await loadFollowUps(db, turn);
    const rules = followUps.flatMap(({ previous, content }) => findCorrections(previous, content));
    const [first] = followUps;
    if (first === undefined || rules.length === 0) return;
    const once = new Map(rules.map((rule) => [rule.normal_form, rule]));
    const { workspace } = first;
    await countRules(db, { ...turn, workspace, rules: [...once.values()] });
  } catch (err) {
    logger.warn({ err, turn: turn.turn_id }, 'not learnt from this turn');
  }
}
