import { normalisePlan } from '@loom/engine/normalise-plan';
import { replanErrors } from '@loom/engine/replan-contract';
import { validatePlan } from '@loom/engine/validate-plan';
import type { Plan, PlanError } from '@loom/shared/plan';
import { parsePlan } from './parse-plan.ts';
import type { PlanRules } from './plan-rules.ts';

/** Times an unreadable answer is asked for again. */
const unreadableRetries = 2;

export type PlannerProgress =
  | { kind: 'plan'; plan: Plan }
  | { kind: 'invalid'; errors: PlanError[] }
  | { kind: 'unreadable' }
  /** Ask again, with this feedback if there was an answer. */
  | { kind: 'ask'; feedback: { errors: PlanError[] | null } | null };

/** Where planning stands after these answers. Pure, so that a planner that takes over decides the same. */
export function judgeReplies(replies: readonly string[], rules: PlanRules): PlannerProgress {
  let invalid = 0;
  let unreadable = 0;
  let last: PlannerProgress = { kind: 'ask', feedback: null };
  for (const reply of replies) {
    const judged = judgeReply(reply, rules);
    if (judged.kind === 'plan') return judged;
    if (judged.kind === 'unreadable') {
      unreadable += 1;
      if (unreadable > unreadableRetries) return judged;
      last = { kind: 'ask', feedback: { errors: null } };
    } else {
      invalid += 1;
      if (invalid > rules.structural_retries) return judged;
      last = { kind: 'ask', feedback: { errors: judged.errors } };
    }
  }
  return last;
}

function judgeReply(
  reply: string,
  { normalise, existing }: PlanRules,
): Exclude<PlannerProgress, { kind: 'ask' }> {
  const parsed = parsePlan(reply);
  if (parsed === null) return { kind: 'unreadable' };
  if (parsed.kind === 'malformed') return { kind: 'invalid', errors: parsed.errors };
  const plan = normalise ? normalisePlan(parsed.plan) : parsed.plan;
  const errors = [...validatePlan(plan), ...replanErrors(existing, plan)];
  return errors.length === 0 ? { kind: 'plan', plan } : { kind: 'invalid', errors };
}
