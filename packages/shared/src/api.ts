import { z } from 'zod';
import { approvalModeSchema, approvalSchema } from './approval.ts';
import { budgetSchema } from './budget.ts';
import { toolCallSchema } from './chat.ts';
import { type JsonObject, jsonObjectSchema } from './json.ts';
import { messageTextSchema } from './message-text.ts';
import { planErrorSchema, planSubtaskSchema } from './plan.ts';
import {
  attemptStatusSchema,
  subtaskStatusSchema,
  taskStatusSchema,
  turnStatusSchema,
  verificationSchema,
} from './statuses.ts';
import { criticalPathBehaviors, phaseModes } from './task-policy.ts';
import { storableString } from './text.ts';
import { verdictSchema } from './verdict.ts';

/** The HTTP objects of the contract, section 3. One schema each, used by gateway, CLI and page. */

const pathSchema = storableString({ min: 1, max: 4_096 });
const readRootsSchema = z.array(pathSchema).max(20);

/** What a person lets a session do without being asked. Keys with no meaning here are kept as they are. */
const grantsSchema = jsonObjectSchema.and(
  z.looseObject({
    tools: z
      .array(storableString({ min: 1, max: 200 }))
      .max(500)
      .optional(),
    /** Directories beside the workspace that may be read. */
    read_roots: readRootsSchema.optional(),
    /** Whether commands may use the network, where the operator leaves that to grants. */
    network: z.boolean().optional(),
  }),
);

export const createSessionSchema = z.strictObject({
  workspace: pathSchema.optional(),
  model: storableString({ min: 1, max: 200 }).optional(),
  title: storableString({ max: 500 }).optional(),
  system_prompt: storableString({ max: 100_000 }).optional(),
  approval_mode: approvalModeSchema.optional(),
  grants: grantsSchema.optional(),
  budget: budgetSchema.optional(),
});
/** A session to be stored: its grants are checked at the door, and readers make no sense of others. */
export type CreateSession = Omit<z.infer<typeof createSessionSchema>, 'grants'> & {
  grants?: JsonObject;
};

export const sessionSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['active', 'ended']),
  workspace: z.string().nullable(),
  model: z.string().nullable(),
  system_prompt: z.string().nullable(),
  approval_mode: approvalModeSchema,
  grants: z.record(z.string(), z.json()),
  budget: z.record(z.string(), z.json()),
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
  content: messageTextSchema,
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
  /** Directories beside the workspace that may be read; those of its session come on top. */
  read_roots: readRootsSchema.optional(),
  process: storableString({ min: 1, max: 200 }).optional(),
  approval_mode: approvalModeSchema.optional(),
  callback_url: z.url().max(2_000).optional(),
  budget: budgetSchema.optional(),
  metadata: jsonObjectSchema.optional(),
  session_id: z.string().max(100).optional(),
  /** Checked apart from the body, so that graph errors can name their subtask. */
  plan: z.unknown().optional(),
  /** How the planner is bound to `phases`, and what a critical failure does; a process sets the same. */
  phase_mode: z.enum(phaseModes).optional(),
  phases: z.unknown().optional(),
  critical_path_behavior: z.enum(criticalPathBehaviors).optional(),
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
  /** A person paused this subtask. */
  paused: z.boolean(),
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

export const planVersionSchema = z.object({
  version: z.number().int(),
  /** Why it was made: the first plan, a failure, a discovery, guidance… */
  reason: z.string(),
  degraded: z.boolean(),
  diff: z.object({
    added: z.array(z.string()),
    changed: z.array(z.string()),
    kept: z.array(z.string()),
  }),
  subtasks: z.array(planSubtaskSchema),
  created_at: z.string(),
});
export type PlanVersion = z.infer<typeof planVersionSchema>;

export const remediationSchema = z.object({
  id: z.string(),
  subtask_id: z.string(),
  strategy: z.string(),
  reason_code: z.string(),
  blocking: z.boolean(),
  status: z.enum(['queued', 'running', 'resolved', 'failed', 'expired']),
  attempts: z.number().int(),
  due_at: z.string(),
  expires_at: z.string(),
  terminal_reason: z.string().nullable(),
});

export const taskSchema = z.object({
  id: z.string(),
  goal: z.string(),
  status: taskStatusSchema,
  verification: verificationSchema,
  session_id: z.string().nullable(),
  turn_id: z.string().nullable(),
  workspace: z.string().nullable(),
  /** Real paths of the directories beside the workspace that its calls may read. */
  read_roots: z.array(z.string()),
  context: z.record(z.string(), z.json()),
  metadata: z.record(z.string(), z.json()),
  plan_version: z.number().int(),
  subtasks: z.array(subtaskSchema),
  /** Every accepted version with what it changed, oldest first. */
  plans: z.array(planVersionSchema),
  remediations: z.array(remediationSchema),
  /** Questions about this task that are still open. */
  approvals: z.array(approvalSchema),
  budget: z.record(z.string(), z.json()),
  budget_used: z.object({
    tokens: z.number().int(),
    cost_usd: z.number(),
    model_calls: z.number().int(),
    tool_calls: z.number().int(),
    mutating_tool_calls: z.number().int(),
    replans: z.number().int(),
    remediation_attempts: z.number().int(),
  }),
  approval_mode: approvalModeSchema,
  callback_url: z.string().nullable(),
  errors: z.array(failureSchema),
  summary: z.string().nullable(),
  files_changed: z.array(z.string()),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type Task = z.infer<typeof taskSchema>;

/** A task in a list: everything but its subtasks' inside. */
export const taskListItemSchema = taskSchema.omit({
  subtasks: true,
  context: true,
  plans: true,
  remediations: true,
  approvals: true,
});
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
  /** With a conflict: what stands in the way, such as the current status. */
  details: z.record(z.string(), z.json()).optional(),
});
export type Problem = z.infer<typeof problemSchema>;
