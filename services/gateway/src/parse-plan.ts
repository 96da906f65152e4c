import { validatePlan } from '@loom/engine/validate-plan';
import { AppError } from '@loom/shared/app-error';
import { type Plan, type PlanError, planSchema } from '@loom/shared/plan';
import type { ZodError } from 'zod';

/** A caller's plan, or a refusal that names each subtask at fault. */
export function parsePlan(input: unknown): Plan | null {
  if (input === undefined || input === null) return null;
  const parsed = planSchema.safeParse(input);
  const errors = parsed.success ? validatePlan(parsed.data) : malformedParts(parsed.error, input);
  if (parsed.success && errors.length === 0) return parsed.data;
  const first = errors[0];
  throw new AppError(
    'invalid_plan',
    `The plan cannot be run. ${first?.subtask_id ?? 'plan'}: ${first?.message ?? 'invalid'}`,
    {
      details: {
        errors: errors.map((error) => ({ path: `plan.subtasks.${error.subtask_id}`, ...error })),
      },
    },
  );
}

function malformedParts(error: ZodError, input: unknown): PlanError[] {
  return error.issues.map(({ path, message }) => {
    const [, position, ...field] = path;
    const at = field.length === 0 ? '' : `${field.map(String).join('.')}: `;
    return {
      subtask_id: subtaskAt(input, position),
      code: 'malformed',
      message: `${at}${message}`,
    };
  });
}

function subtaskAt(input: unknown, position: PropertyKey | undefined): string {
  if (typeof position !== 'number') return 'plan';
  const { subtasks } = input as { subtasks: { id?: unknown }[] };
  const id = subtasks[position]?.id;
  return typeof id === 'string' && id !== '' ? id.slice(0, 64) : `#${position}`;
}
