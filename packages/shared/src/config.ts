import { z } from 'zod';
import { modelRoles } from './chat.ts';

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
      model_call_max_attempts: count(4),
      model_call_retry_base_delay_seconds: seconds(0.5),
      model_call_retry_max_delay_seconds: seconds(20),
      model_call_retry_jitter_seconds: z.number().min(0).default(0.25),
      model_call_timeout_seconds: seconds(300),
      planner_degraded_mode: z.enum(['allow', 'require_approval', 'deny']).default('allow'),
      allow_unsandboxed_shell: z.boolean().default(false),
      shell_network: z.boolean().default(false),
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
    })
    .prefault({}),
  limits: z
    .strictObject({
      runner: z
        .strictObject({
          turns_concurrency: count(100),
          subtasks_concurrency: count(100),
          max_tool_iterations: count(20),
          max_subtask_wall_clock_seconds: seconds(1_200),
          max_tool_output_chars: count(40_000, 1_000),
        })
        .prefault({}),
      planner: z.strictObject({ concurrency: count(50) }).prefault({}),
      verifier: z.strictObject({ concurrency: count(100) }).prefault({}),
    })
    .prefault({}),
  cowork: z
    .strictObject({
      max_tool_iterations: count(40),
    })
    .prefault({}),
  memory: noKeysYet(),
  approval: noKeysYet(),
  process: noKeysYet(),
  mcp: z
    .strictObject({ servers: z.record(nameSchema, z.strictObject({})).default({}) })
    .prefault({}),
  webhooks: noKeysYet(),
  tenants: noKeysYet(),
});
export type Config = z.infer<typeof configSchema>;
