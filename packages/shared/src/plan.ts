import { z } from 'zod';
import { storableString } from './text.ts';

const subtaskIdSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'use letters, digits, dots, dashes and underscores');

/** One subtask of a plan, as a planner or a caller writes it. */
export const planSubtaskSchema = z.object({
  id: subtaskIdSchema,
  description: storableString({ min: 1, max: 20_000 }),
  depends_on: z.array(z.string().max(64)).max(200).default([]),
  model_tier: z.number().int().min(1).max(3).default(1),
  verification_tier: z.number().int().min(1).max(3).default(1),
  is_critical_path: z.boolean().default(false),
  is_synthesis: z.boolean().default(false),
  max_retries: z.number().int().min(0).max(10).default(3),
  acceptance_criteria: z
    .array(storableString({ max: 2_000 }))
    .max(50)
    .default([]),
  deliverables: z
    .array(storableString({ min: 1, max: 1_000 }))
    .max(100)
    .default([]),
  checks: z
    .array(storableString({ min: 1, max: 2_000 }))
    .max(20)
    .default([]),
  tools: z.array(z.string().max(100)).max(100).optional(),
  risk: z.string().max(20).default('low'),
});
export type PlanSubtask = z.infer<typeof planSubtaskSchema>;

export const planSchema = z.object({
  subtasks: z.array(planSubtaskSchema).min(1).max(200),
});
export type Plan = z.infer<typeof planSchema>;

/** One thing wrong with a plan's graph, named by subtask. */
export const planErrorSchema = z.object({
  subtask_id: z.string(),
  code: z.enum([
    'duplicate_id',
    'unknown_dependency',
    'cycle',
    'synthesis_has_dependents',
    'depends_on_synthesis',
    'malformed',
    'dropped',
  ]),
  message: z.string(),
});
export type PlanError = z.infer<typeof planErrorSchema>;
