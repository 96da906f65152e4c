import { z } from 'zod';
import { toolCallSchema } from './chat.ts';
import { jsonObjectSchema } from './json.ts';
import { planErrorSchema } from './plan.ts';
import {
  attemptStatusSchema,
  subtaskStatusSchema,
  taskStatusSchema,
  turnStatusSchema,
  verificationSchema,
} from './statuses.ts';
import { storableString } from './text.ts';
import { verdictSchema } from './verdict.ts';

/** The HTTP objects of the contract, section 3. One schema each, used by gateway, CLI and page. */

export const approvalModeSchema = z.enum(['manual', 'auto', 'confidence_threshold', 'disabled']);

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

const pathSchema = storableString({ min: 1, max: 4_096 });

export const createSessionSchema = z.strictObject({
  workspace: pathSchema.optional(),
  model: storableString({ min: 1, max: 200 }).optional(),
  title: storableString({ max: 500 }).optional(),
  system_prompt: storableString({ max: 100_000 }).optional(),
  approval_mode: approvalModeSchema.optional(),
  grants: jsonObjectSchema.optional(),
  budget: budgetSchema.optional(),
});
export type CreateSession = z.infer<typeof createSessionSchema>;

export const sessionSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['active', 'ended']),
  workspace: z.string().nullable(),
  model: z.string().nullable(),
  system_prompt: z.string().nullable(),
  approval_mode: approvalModeSchema,
  state: z.record(z.string(), z.json()),
  message_count: z.number().int(),
  total_tokens: z.number().int(),
  created_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
});
export type Session = z.infer<typeof sessionSchema>;

export const ifBusySchema = z.enum(['queue', 'reject', 'interrupt', 'steer']);

export const createTurnSchema = z.strictObject({
  content: storableString({ min: 1, max: 900_000 }),
  if_busy: ifBusySchema.default('queue'),
});
export type CreateTurn = z.infer<typeof createTurnSchema>;

export const turnAcceptedSchema = z.object({
  turn_id: z.string(),
  session_id: z.string(),
  message_number: z.number().int(),
});
export type TurnAccepted = z.infer<typeof turnAcceptedSchema>;

export const messageSchema = z.object({
  number: z.number().int(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  tool_calls: z.array(toolCallSchema).nullable(),
  tool_call_id: z.string().nullable(),
  tool_name: z.string().nullable(),
  token_count: z.number().int(),
  turn_id: z.string().nullable(),
  created_at: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

export const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  subtask_id: z.string().optional(),
});
export type Failure = z.infer<typeof failureSchema>;

export const turnSchema = z.object({
  id: z.string(),
  session_id: z.string(),
  status: turnStatusSchema,
  error: failureSchema.nullable(),
  messages: z.array(messageSchema),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type Turn = z.infer<typeof turnSchema>;

export const recallRequestSchema = z.strictObject({
  action: z.enum(['search', 'range', 'tool_calls', 'summary']),
  query: storableString({ max: 2_000 }).optional(),
  tool_name: storableString({ max: 200 }).optional(),
  start_turn: z.number().int().min(1).optional(),
  end_turn: z.number().int().min(1).optional(),
  limit: z.number().int().min(1).max(100).default(10),
});
export type RecallRequest = z.infer<typeof recallRequestSchema>;

export const recallAnswerSchema = z.object({
  text: z.string(),
  matches: z.array(z.object({ number: z.number().int(), role: z.string(), excerpt: z.string() })),
});
export type RecallAnswer = z.infer<typeof recallAnswerSchema>;

export const createTaskSchema = z.strictObject({
  goal: storableString({ min: 1, max: 50_000 }).refine((goal) => goal.trim() !== '', {
    message: 'must say what is to be done',
  }),
  context: jsonObjectSchema.optional(),
  workspace: pathSchema.optional(),
  process: storableString({ min: 1, max: 200 }).optional(),
  approval_mode: approvalModeSchema.optional(),
  callback_url: z.url().max(2_000).optional(),
  budget: budgetSchema.optional(),
  metadata: jsonObjectSchema.optional(),
  session_id: z.string().max(100).optional(),
  /** Checked apart from the body, so that graph errors can name their subtask. */
  plan: z.unknown().optional(),
});
export type CreateTask = z.infer<typeof createTaskSchema>;

export const attemptSchema = z.object({
  number: z.number().int(),
  status: attemptStatusSchema,
  model: z.string().nullable(),
  tier: z.number().int(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  error: failureSchema.optional(),
  verdict: verdictSchema.optional(),
});
export type Attempt = z.infer<typeof attemptSchema>;

export const subtaskSchema = z.object({
  id: z.string(),
  description: z.string(),
  status: subtaskStatusSchema,
  verification: verificationSchema,
  depends_on: z.array(z.string()),
  model_tier: z.number().int(),
  verification_tier: z.number().int(),
  is_critical_path: z.boolean(),
  is_synthesis: z.boolean(),
  max_retries: z.number().int(),
  acceptance_criteria: z.array(z.string()),
  deliverables: z.array(z.string()),
  summary: z.string().nullable(),
  error: failureSchema.nullable(),
  attempts: z.array(attemptSchema),
});
export type Subtask = z.infer<typeof subtaskSchema>;

export const taskSchema = z.object({
  id: z.string(),
  goal: z.string(),
  status: taskStatusSchema,
  verification: verificationSchema,
  session_id: z.string().nullable(),
  turn_id: z.string().nullable(),
  workspace: z.string().nullable(),
  context: z.record(z.string(), z.json()),
  metadata: z.record(z.string(), z.json()),
  plan_version: z.number().int(),
  subtasks: z.array(subtaskSchema),
  budget: z.record(z.string(), z.json()),
  budget_used: z.object({
    tokens: z.number().int(),
    model_calls: z.number().int(),
    tool_calls: z.number().int(),
  }),
  errors: z.array(failureSchema),
  summary: z.string().nullable(),
  files_changed: z.array(z.string()),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type Task = z.infer<typeof taskSchema>;

/** A task in a list: everything but its subtasks' inside. */
export const taskListItemSchema = taskSchema.omit({ subtasks: true, context: true });
export type TaskListItem = z.infer<typeof taskListItemSchema>;

export const replaySchema = z.object({
  matches: z.boolean(),
  differences: z.array(z.string()),
  state: z.object({
    status: taskStatusSchema,
    verification: verificationSchema,
    plan_version: z.number().int(),
    subtasks: z.array(
      z.object({ id: z.string(), status: subtaskStatusSchema, attempts: z.number().int() }),
    ),
  }),
});
export type Replay = z.infer<typeof replaySchema>;

export const scopeSchema = z.enum(['user', 'admin']);
export type Scope = z.infer<typeof scopeSchema>;

export const createKeySchema = z.strictObject({
  name: storableString({ min: 1, max: 200 }),
  scopes: z.array(scopeSchema).min(1).max(2),
  tenant: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'use lower-case letters, digits, dashes, underscores')
    .optional(),
});

export const workerSchema = z.object({
  id: z.string(),
  role: z.enum(['planner', 'runner', 'verifier']),
  host: z.string(),
  started_at: z.string(),
  last_seen_at: z.string(),
  active: z.number().int(),
  concurrency: z.number().int(),
});
export type WorkerInfo = z.infer<typeof workerSchema>;

export const deadLetterSchema = z.object({
  id: z.string(),
  queue: z.string(),
  unit_id: z.string(),
  reason: z.string(),
  starts: z.number().int(),
  last_error: z.string().nullable(),
  created_at: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** RFC 9457 problem details, with our stable code. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  request_id: z.string().optional(),
  errors: z
    .array(z.union([z.object({ path: z.string(), message: z.string() }), planErrorSchema]))
    .optional(),
});
export type Problem = z.infer<typeof problemSchema>;
