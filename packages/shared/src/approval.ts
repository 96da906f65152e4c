import { z } from 'zod';
import { jsonObjectSchema } from './json.ts';
import { storableString } from './text.ts';

export const approvalModes = ['manual', 'auto', 'confidence_threshold', 'disabled'] as const;
export const approvalModeSchema = z.enum(approvalModes);
export type ApprovalMode = z.infer<typeof approvalModeSchema>;

/**
 * What is asked: may this tool run, may this result stand, may work begin without a real plan,
 * may the task be planned once more, may it spend more.
 */
export const approvalKinds = ['tool', 'result', 'plan', 'replan', 'budget'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

export const approvalStatusSchema = z.enum(['pending', 'approved', 'denied', 'expired']);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

export const approvalSchema = z.object({
  id: z.string(),
  status: approvalStatusSchema,
  kind: z.enum(approvalKinds),
  tool: z.string().nullable(),
  arguments: z.json(),
  reason: z.string(),
  session_id: z.string().nullable(),
  turn_id: z.string().nullable(),
  task_id: z.string().nullable(),
  subtask_id: z.string().nullable(),
  requested_at: z.string(),
  expires_at: z.string().nullable(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  decision_reason: z.string().nullable(),
});
export type Approval = z.infer<typeof approvalSchema>;

export const decideApprovalSchema = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  reason: storableString({ max: 4_000 }).optional(),
  /** Other arguments to run the tool with, or other limits for a budget. */
  arguments: jsonObjectSchema.optional(),
  /** `session`: this tool is not asked about again; never for what is always gated. */
  scope: z.enum(['once', 'session']).default('once'),
});
export type DecideApproval = z.infer<typeof decideApprovalSchema>;

/** A decision as the engine and the turns are told of it. */
export interface ApprovalDecision {
  decision: 'approve' | 'deny';
  by: string;
  reason: string | null;
  arguments: Record<string, unknown> | null;
  remember: boolean;
}
