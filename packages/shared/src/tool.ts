import type { z } from 'zod';
import type { ToolSpec } from './chat.ts';
import type { JsonValue } from './json.ts';

export const toolEffects = ['read', 'idempotent', 'effectful'] as const;

/**
 * `read` changes nothing; `idempotent` may run twice with one outcome;
 * `effectful` may not, so its call is written down before it happens.
 */
export type ToolEffect = (typeof toolEffects)[number];

/** A version of a file, known by its content. */
export interface FileVersion {
  /** sha256 of the content, in hex. */
  hash: string;
  size: number;
  mode: number;
}

/** A file as it was before a call changed it; `before` is null when there was none. */
export interface FileBefore {
  path: string;
  /** Content that is too large to be kept is null: the change can be seen, but not undone. */
  before: (FileVersion & { content: Buffer | null }) | null;
}

/** A file as a call left it; `after` is null when it removed the file. */
export interface FileAfter {
  path: string;
  after: FileVersion | null;
}

export const artifactKinds = [
  'text',
  'html',
  'pdf',
  'office',
  'image',
  'archive',
  'unknown',
] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

/** Bytes that are too long, or not of a kind, to be shown to a model. */
export interface NewArtifact {
  name: string;
  kind: ArtifactKind;
  mime: string;
  /** A URL or a tool's name. */
  source: string;
  content: Buffer;
}

export interface StoredArtifact extends NewArtifact {
  ref: string;
}

/** What a call may keep outside of the workspace, for as long as its task or session is of interest. */
export interface ToolKeep {
  /**
   * Keeps how files were. Awaited before the first of them is changed; when a call runs again after
   * a crash, what it said first about a path stands.
   */
  before(files: readonly FileBefore[]): Promise<void>;
  /** Keeps bytes and gives the reference under which `read_artifact` finds them. */
  artifact(artifact: NewArtifact): Promise<string>;
  /** Null for a reference that the caller's tenant does not have. */
  readArtifact(ref: string): Promise<StoredArtifact | null>;
}

/** Where a call runs and what it may reach. Built per unit of work, never by the model. */
export interface ToolContext {
  tenant_id: string;
  workspace: string | null;
  /** Directories beside the workspace that may be read; absolute real paths. */
  read_roots: readonly string[];
  /** Whether someone granted commands the network, where the operator leaves that to grants. */
  network: boolean;
  signal: AbortSignal;
  /** Unique to this call's place in its journal; commands see it as LOOM_CALL_KEY. */
  call_key: string;
  keep: ToolKeep;
  /** Tells what a long call prints while it runs. Cheap; the receiver bounds what is shown. */
  progress(text: string): void;
}

export interface ToolOutput {
  /** What the model reads. */
  text: string;
  /** Files of the workspace that the call created, changed or removed, as it left them. */
  changes?: FileAfter[];
  exit_code?: number;
  /** Present when the deed failed although something may have happened. */
  failure?: 'failed' | 'timeout';
}

/** One tool: its input, its effect class, its bounds, and the deed. */
export interface ToolDefinition<Input = unknown> {
  name: string;
  description: string;
  effect: ToolEffect;
  timeout_ms: number;
  input: z.ZodType<Input>;
  /** The schema a model is shown, where it is not made from `input`. */
  input_schema?: Record<string, unknown>;
  /** Its effect lies outside the workspace: a retry of the subtask must not repeat what an earlier attempt did. */
  once?: boolean;
  /** A sentence why the tool cannot be used here, or null when it can. */
  unavailable(): string | null;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** Hears of every call of a registered tool when it has ended. */
export type ObserveTool = (tool: string, outcome: 'ok' | ToolErrorCode, ms: number) => void;

/** Tools that come and go while the process runs. */
export interface ToolSource {
  list(tenant_id: string): Promise<ToolDefinition[]>;
  close(): Promise<void>;
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
export type ToolResult = {
  text: string;
  changes?: FileAfter[];
  exit_code?: number;
} & ({ ok: true } | { ok: false; error_code: ToolErrorCode });

export type ToolErrorCode =
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'failed'
  | 'timeout'
  | 'cancelled';

export interface ToolRegistry {
  list(): ToolInfo[];
  specs(names: readonly string[]): ToolSpec[];
  /** Null for a name that is not registered. */
  effect(name: string): ToolEffect | null;
  /** Whether a retry must not repeat what an earlier attempt did with this tool. */
  once(name: string): boolean;
  /** Checks the arguments without running anything; null when they are fine. */
  check(name: string, args: JsonValue): ToolResult | null;
  run(name: string, args: JsonValue, context: ToolContext): Promise<ToolResult>;
}
