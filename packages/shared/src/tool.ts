import type { z } from 'zod';
import type { ToolSpec } from './chat.ts';
import type { JsonValue } from './json.ts';

export const toolEffects = ['read', 'idempotent', 'effectful'] as const;

/**
 * `read` changes nothing; `idempotent` may run twice with one outcome;
 * `effectful` may not, so its call is written down before it happens.
 */
export type ToolEffect = (typeof toolEffects)[number];

/** Where a call runs and what it may reach. Built per unit of work, never by the model. */
export interface ToolContext {
  workspace: string | null;
  signal: AbortSignal;
  /** Unique to this call's place in its journal; commands see it as LOOM_CALL_KEY. */
  call_key: string;
}

export interface ToolOutput {
  /** What the model reads. */
  text: string;
  /** Paths relative to the workspace that the call created, changed or removed. */
  files_changed?: string[];
  exit_code?: number;
}

/** One tool: its input, its effect class, its bounds, and the deed. */
export interface ToolDefinition<Input = unknown> {
  name: string;
  description: string;
  effect: ToolEffect;
  timeout_ms: number;
  input: z.ZodType<Input>;
  /** A sentence why the tool cannot be used here, or null when it can. */
  unavailable(): string | null;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolInfo {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
  effect: ToolEffect;
  available: boolean;
  unavailable_reason: string | null;
}

/** The answer to a call: never a throw for the model's mistake. */
export type ToolResult =
  | { ok: true; text: string; files_changed: string[]; exit_code?: number }
  | {
      ok: false;
      text: string;
      error_code: 'unknown_tool' | 'invalid_arguments' | 'failed' | 'timeout' | 'cancelled';
    };

export interface ToolRegistry {
  list(): ToolInfo[];
  specs(names: readonly string[]): ToolSpec[];
  /** Null for a name that is not registered. */
  effect(name: string): ToolEffect | null;
  /** Checks the arguments without running anything; null when they are fine. */
  check(name: string, args: JsonValue): ToolResult | null;
  run(name: string, args: JsonValue, context: ToolContext): Promise<ToolResult>;
}
