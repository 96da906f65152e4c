import { z } from 'zod';
import { approvalModeSchema } from './approval.ts';
import { budgetSchema } from './budget.ts';
import { modelRoles } from './chat.ts';
import { mcpCredentialsSchema, mcpServerNameSchema, mcpServerSchema } from './mcp-config.ts';
import { criticalPathBehaviors } from './task-policy.ts';

/** The shape of `loom.toml`. Defaults are the product's defaults; unknown keys are errors. */

export const modelProviders = [
  'openai-compatible',
  'openai',
  'anthropic',
  'ollama',
  'demo',
] as const;

const modelFields = z.strictObject({
  provider: z.enum(modelProviders),
  base_url: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .optional(),
  model: z.string().min(1),
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable, never a key')
    .optional(),
  roles: z
    .array(z.enum(modelRoles))
    .min(1)
    .default([...modelRoles]),
  tier: z.number().int().min(1).max(3).default(2),
  context_tokens: z.number().int().min(1_000).default(128_000),
  max_output_tokens: z.number().int().min(1).default(8_192),
  /** Prices in dollars for a million tokens; without them calls cost nothing. */
  input_cost_per_million: z.number().min(0).default(0),
  output_cost_per_million: z.number().min(0).default(0),
});

export const modelConfigSchema = modelFields.refine(
  (model) => model?.provider !== 'openai-compatible' || model.base_url !== undefined,
  {
    path: ['base_url'],
    error: 'is required with provider "openai-compatible"',
    // Also when another key is wrong, so that every problem is reported at once.
    when: () => true,
  },
);
export type ModelConfig = z.infer<typeof modelConfigSchema>;

const seconds = (fallback: number) => z.number().positive().default(fallback);
const count = (fallback: number, min = 1) => z.number().int().min(min).default(fallback);
const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]+$/, 'use letters, digits, dots, dashes and underscores in the name');
const noKeysYet = () => z.strictObject({}).prefault({});

export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(7420),
      max_body_bytes: count(1_048_576),
      rate_limit_per_minute: count(6_000),
    })
    .prefault({}),
  models: z.record(nameSchema, modelConfigSchema).default({}),
  execution: z
    .strictObject({
      max_parallel_subtasks: count(5),
      max_plan_versions: count(5),
      replan_interval: count(0, 0),
      replan_on_discovery: z.boolean().default(true),
      max_stall_recoveries: count(2, 0),
      critical_path_behavior: z.enum(criticalPathBehaviors).default('block'),
      auto_approve_confidence_threshold: z.number().min(0).max(1).default(0.8),
      /** Budgets of a task that brings none of its own; 0 is off. */
      max_task_total_tokens: count(0, 0),
      max_task_cost_usd: z.number().min(0).default(0),
      max_task_model_invocations: count(0, 0),
      max_task_tool_calls: count(0, 0),
      max_task_mutating_tool_calls: count(0, 0),
      max_task_replans: count(0, 0),
      max_task_remediation_attempts: count(0, 0),
      max_task_wall_clock_seconds: z.number().min(0).default(0),
      model_call_max_attempts: count(4),
      model_call_retry_base_delay_seconds: seconds(0.5),
      model_call_retry_max_delay_seconds: seconds(20),
      model_call_retry_jitter_seconds: z.number().min(0).default(0.25),
      model_call_timeout_seconds: seconds(300),
      /** A longer wait for a model gives the worker back instead of holding it. */
      model_call_park_after_seconds: z.number().min(0).default(2),
      /** First pause after an outage; it doubles with each one up to the maximum. */
      model_park_base_delay_seconds: seconds(5),
      model_park_max_delay_seconds: seconds(60),
      /** Time an attempt may spend parked for a model before it fails. */
      max_parked_seconds: z.number().min(0).default(3_600),
      planner_degraded_mode: z.enum(['allow', 'require_approval', 'deny']).default('allow'),
      allow_unsandboxed_shell: z.boolean().default(false),
      /** Whether commands reach the network: never, always, or where a session grants it. */
      shell_network: z.union([z.boolean(), z.literal('granted')]).default(false),
      /** Lets `web_fetch` and MCP servers use addresses of private networks; for tests and closed networks. */
      fetch_allow_private_networks: z.boolean().default(false),
      /** Whether a closing text must hold a completion block: never, ideally, or else it is asked for. */
      executor_completion_contract_mode: z.enum(['off', 'warn', 'enforce']).default('off'),
      /** A retry gets the result of an earlier attempt instead of repeating an effect outside the workspace. */
      enable_mutation_idempotency: z.boolean().default(true),
      /** Whether a conversation shows words as the model writes them. */
      enable_streaming: z.boolean().default(true),
      /** How long a silent worker keeps its units; the fence, not this, protects from zombies. */
      lease_seconds: seconds(15),
      /** Starts without progress after which a unit becomes a dead letter. */
      max_starts: count(3),
      sweep_interval_seconds: seconds(1),
      /** How long a rung unit may wait before it is rung again. */
      ring_again_seconds: seconds(10),
      grace_seconds: seconds(10),
      /** Key prefix in Redis, so that deployments can share one. */
      queue_prefix: z
        .string()
        .regex(/^[A-Za-z0-9._-]+$/)
        .default('loom'),
    })
    .prefault({}),
  verification: z
    .strictObject({
      tier2_enabled: z.boolean().default(true),
      /** Times a result is verified before an answer that cannot be read counts as a pass with warnings. */
      max_rounds: count(2),
      confirm_or_prune_max_attempts: count(2, 0),
      confirm_or_prune_backoff_seconds: z.number().min(0).default(2),
      remediation_queue_max_attempts: count(3),
      remediation_queue_backoff_seconds: seconds(2),
      remediation_queue_max_backoff_seconds: seconds(30),
      remediation_queue_ttl_seconds: seconds(21_600),
    })
    .prefault({}),
  limits: z
    .strictObject({
      runner: z
        .strictObject({
          turns_concurrency: count(100),
          subtasks_concurrency: count(100),
          deliveries_concurrency: count(20),
          max_tool_iterations: count(20),
          max_subtask_wall_clock_seconds: seconds(1_200),
          max_tool_output_chars: count(40_000, 1_000),
          /** What an executor's context is kept to: a share of the model's window, less its answer. */
          runner_compaction_policy_mode: z.enum(['off', 'tiered', 'legacy']).default('tiered'),
          compaction_pressure_ratio_soft: z.number().min(0.1).max(2).default(0.86),
          compaction_pressure_ratio_hard: z.number().min(0.1).max(2).default(1.02),
          compaction_no_gain_min_delta_chars: count(200, 0),
          compaction_no_gain_attempt_limit: count(2),
          compaction_timeout_guard_seconds: z.number().min(0).default(30),
          enable_model_overflow_fallback: z.boolean().default(true),
          /** Limits of one command, with everything it starts. */
          shell_max_memory_mb: count(4_096, 16),
          shell_max_processes: count(512, 8),
          shell_max_file_mb: count(2_048),
          shell_max_output_chars: count(1_000_000, 1_000),
          fetch_timeout_seconds: seconds(30),
          fetch_max_bytes: count(20_971_520),
          ingest_artifact_retention_max_age_days: z.number().positive().default(14),
          ingest_artifact_retention_max_files_per_scope: count(200),
          ingest_artifact_retention_max_bytes_per_scope: count(268_435_456),
        })
        .prefault({}),
      planner: z.strictObject({ concurrency: count(50) }).prefault({}),
      verifier: z.strictObject({ concurrency: count(100) }).prefault({}),
    })
    .prefault({}),
  cowork: z
    .strictObject({
      max_tool_iterations: count(40),
      /** Time a turn may spend parked for a model before it fails. */
      max_parked_seconds: z.number().min(0).default(300),
      /** Which tools' schemas a call gets: all, the likeliest, or these and the way to the others. */
      tool_exposure: z.enum(['full', 'adaptive', 'hybrid']).default('hybrid'),
      /** Levels of tasks below a conversation; 0 switches delegation off. */
      max_delegation_depth: count(3, 0),
      /** Tasks of one conversation that may be under way at once. */
      max_open_delegations: count(10),
    })
    .prefault({}),
  memory: z
    .strictObject({
      /** Whether what a subtask learnt is extracted after it, by a model with the role `extractor`. */
      extraction_enabled: z.boolean().default(true),
      extraction_max_entries: count(8),
      /** Entries of a task that its later subtasks are shown. */
      prompt_max_entries: count(10, 0),
    })
    .prefault({}),
  approval: z
    .strictObject({
      mode: approvalModeSchema.default('auto'),
      timeout_seconds: seconds(3_600),
      objection_seconds: seconds(10),
      on_timeout: z.enum(['deny', 'approve']).default('deny'),
    })
    .prefault({}),
  process: noKeysYet(),
  mcp: z
    .strictObject({ servers: z.record(mcpServerNameSchema, mcpServerSchema).default({}) })
    .prefault({}),
  webhooks: z
    .strictObject({
      max_attempts: count(8),
      base_delay_seconds: seconds(2),
      max_delay_seconds: seconds(600),
      timeout_seconds: seconds(10),
      /** Allows callbacks to addresses of private networks; for tests and closed networks. */
      allow_private_networks: z.boolean().default(false),
    })
    .prefault({}),
  tenants: z
    .record(
      nameSchema,
      z.strictObject({
        budget: budgetSchema.optional(),
        /** Credentials of this tenant's own for MCP servers, by server. */
        mcp: z.record(mcpServerNameSchema, mcpCredentialsSchema).optional(),
      }),
    )
    .default({}),
});
export type Config = z.infer<typeof configSchema>;
