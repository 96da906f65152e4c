import { validatePlan } from '@loom/engine/validate-plan';
import type { Plan, PlanError } from '@loom/shared/plan';
import { parsePlan } from './parse-plan.ts';

/** Structural retries a planner gets when no process asks for more. */
const structuralRetries = 1;
/** Times an unreadable answer is asked for again. */
const unreadableRetries = 2;

export type PlannerProgress =
  | { kind: 'plan'; plan: Plan }
  | { kind: 'invalid'; errors: PlanError[] }
  | { kind: 'unreadable' }
  /** Ask again, with this feedback if there was an answer. */
  | { kind: 'ask'; feedback: { errors: PlanError[] | null } | null };

/** Where planning stands after these answers. Pure, so that a planner that takes over decides the same. */
export function judgeReplies(replies: readonly string[]): PlannerProgress {
  let invalid = 0;
  let unreadable = 0;
  let last: PlannerProgress = { kind: 'ask', feedback: null };
  for (const reply of replies) {
    const parsed = parsePlan(reply);
    if (parsed === null) {
      unreadable += 1;
      if (unreadable > unreadableRetries) return { kind: 'unreadable' };
      last = { kind: 'ask', feedback: { errors: null } };
      continue;
    }
    const errors = parsed.kind === 'plan' ? validatePlan(parsed.plan) : parsed.errors;
    if (parsed.kind === 'plan' && errors.length === 0) return parsed;
    invalid += 1;
    if (invalid > structuralRetries) return { kind: 'invalid', errors };
    last = { kind: 'ask', feedback: { errors } };
  }
  return last;
}
