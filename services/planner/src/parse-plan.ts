import { extractJson } from '@loom/shared/extract-json';
import { type Plan, type PlanError, planSchema } from '@loom/shared/plan';
import { toStorableJson } from '@loom/shared/text';

export type ParsedPlan = { kind: 'plan'; plan: Plan } | { kind: 'malformed'; errors: PlanError[] };

/** Reads a planner's answer; null when there is no plan in it at all. */
export function parsePlan(text: string): ParsedPlan | null {
  const raw = extractJson(text, (value) =>
    typeof value === 'object' && value !== null && 'subtasks' in value ? value : null,
  );
  if (raw === null) return null;
  const parsed = planSchema.safeParse(toStorableJson(raw));
  if (parsed.success) return { kind: 'plan', plan: parsed.data };
  const errors = parsed.error.issues.map((issue): PlanError => {
    const [, index, ...rest] = issue.path;
    const field = rest.length > 0 ? `${rest.join('.')}: ` : '';
    return {
      subtask_id: typeof index === 'number' ? `subtask ${index + 1}` : 'plan',
      code: 'malformed',
      message: `${field}${issue.message}`,
    };
  });
  return { kind: 'malformed', errors };
}
