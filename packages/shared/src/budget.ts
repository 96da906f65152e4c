import { z } from 'zod';

/** What may be limited; absent or 0 means without limit (contract, section 6). */
export const budgetSchema = z
  .object({
    max_tokens: z.number().int().min(0),
    max_cost_usd: z.number().min(0),
    max_model_calls: z.number().int().min(0),
    max_tool_calls: z.number().int().min(0),
    max_mutating_tool_calls: z.number().int().min(0),
    max_replans: z.number().int().min(0),
    max_remediation_attempts: z.number().int().min(0),
    max_seconds: z.number().min(0),
  })
  .partial()
  .strict();
export type BudgetLimits = z.infer<typeof budgetSchema>;
export type BudgetName = keyof BudgetLimits;

/** What calls have cost so far. Money is counted in millionths of a dollar, so that sums are exact. */
export interface Spent {
  tokens: number;
  cost_micros: number;
  model_calls: number;
  tool_calls: number;
  mutating_tool_calls: number;
}

/** What a unit wants to do next; granted before it does it. */
export interface Wants {
  model_calls: number;
  tool_calls: number;
  mutating_tool_calls: number;
}

/** A budget above the task: its session's or its tenant's. Only those that limit something exist. */
export interface BudgetScope {
  id: string;
  kind: 'session' | 'tenant';
  limits: BudgetLimits;
  spent: Spent;
  /** Granted and not yet spent, over all units. */
  held: Wants;
}

/** The limit that refused a call. */
export interface Exhaustion {
  budget: BudgetName;
  scope: 'task' | 'session' | 'tenant';
  used: number;
  limit: number;
}

export const nothingSpent: Spent = {
  tokens: 0,
  cost_micros: 0,
  model_calls: 0,
  tool_calls: 0,
  mutating_tool_calls: 0,
};

export const nothingWanted: Wants = { model_calls: 0, tool_calls: 0, mutating_tool_calls: 0 };
