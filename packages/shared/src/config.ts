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

export const modelConfigSchema = z.strictObject({
  provider: z.enum(modelProviders),
  base_url: z.url().optional(),
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
export type ModelConfig = z.infer<typeof modelConfigSchema>;

const seconds = (fallback: number) => z.number().positive().default(fallback);
const count = (fallback: number, min = 1) => z.number().int().min(min).default(fallback);

export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.number().int().min(0).max(65_535).default(7420),
      max_body_bytes: count(1_048_576),
      rate_limit_per_minute: count(6_000),
    })
    .prefault({}),
  models: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), modelConfigSchema).default({}),
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
      max_delegation_depth: count(3),
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
          turns_concurrency: count(20),
          subtasks_concurrency: count(20),
          max_tool_iterations: count(20),
          max_subtask_wall_clock_seconds: seconds(1_200),
          max_tool_output_chars: count(40_000, 1_000),
        })
        .prefault({}),
      planner: z.strictObject({ concurrency: count(10) }).prefault({}),
      verifier: z.strictObject({ concurrency: count(20) }).prefault({}),
    })
    .prefault({}),
  cowork: z
    .strictObject({
      max_tool_iterations: count(40),
    })
    .prefault({}),
});
export type Config = z.infer<typeof configSchema>;
