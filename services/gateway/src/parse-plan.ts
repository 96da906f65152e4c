import { validatePlan } from '@loom/engine/validate-plan';
import { AppError } from '@loom/shared/app-error';
import { type Plan, type PlanError, planSchema } from '@loom/shared/plan';
import type { ZodError } from 'zod';

/** A caller's plan, or a refusal that names each subtask at fault. */
export function parsePlan(input: unknown): Plan | null {
  if (input === undefined || input === null) return null;
  return parseGraph(input, 'plan', 'plan.subtasks');
}

/** The phases that a plan must keep to: a plan's subtasks, checked as such. */
export function parsePhases(input: unknown): Plan['subtasks'] {
  if (input === undefined || input === null) return [];
  if (Array.isArray(input) && input.length === 0) return [];
  return parseGraph({ subtasks: input }, 'phases', 'phases').subtasks;
}

function parseGraph(input: unknown, name: 'plan' | 'phases', path: string): Plan {
  const parsed = planSchema.safeParse(input);
  const errors = parsed.success
    ? validatePlan(parsed.data)
    : malformedParts(parsed.error, input, name);
  if (parsed.success && errors.length === 0) return parsed.data;
  const first = errors[0];
  throw new AppError(
    'invalid_plan',
    `The ${name} cannot be run. ${first?.subtask_id ?? name}: ${first?.message ?? 'invalid'}`,
    {
      details: {
        errors: errors.map((error) => ({ path: `${path}.${error.subtask_id}`, ...error })),
      },
    },
  );
}

function malformedParts(error: ZodError, input: unknown, name: string): PlanError[] {
  return error.issues.map((issue) => {
    const [, position, ...field] = issue.path;
    const at = field.length === 0 ? '' : `${field.map(String).join('.')}: `;
    return {
      subtask_id: subtaskAt(input, position) ?? name,
      code: 'malformed',
      message: `${at}${issue.message}`,
    };
  });
}

function subtaskAt(input: unknown, position: PropertyKey | undefined): string | null {
  if (typeof position !== 'number') return null;
  const { subtasks } = input as { subtasks: { id?: unknown }[] };
  const id = subtasks[position]?.id;
  return typeof id === 'string' && id !== '' ? id.slice(0, 64) : `#${position}`;
}
