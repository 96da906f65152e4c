import {
  exposeTools,
  maxExposedBytes,
  type ToolExposure,
} from '@loom/engine/tool-exposure/expose-tools';
import { turnIntent } from '@loom/engine/tool-exposure/turn-intent';
import type { ChatMessage, ToolSpec } from '@loom/shared/chat';

/** The schemas that the next model call of a turn gets, chosen by the messages that it gets to see. */
export function offeredTools(params: {
  mode: ToolExposure;
  /** Every tool that can be used. */
  specs: readonly ToolSpec[];
  messages: readonly ChatMessage[];
  /** What the model can read. */
  context_tokens: number;
}): ToolSpec[] {
  const { mode, specs, messages, context_tokens } = params;
  const tools = specs.map((spec) => ({
    name: spec.name,
    description: spec.description,
    schema_bytes: Buffer.byteLength(JSON.stringify(spec)),
  }));
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const intent = turnIntent(messages);
  // A byte for each token of a small model is about a quarter of what it can read.
  const max_bytes = Math.min(maxExposedBytes, context_tokens);
  return exposeTools({ mode, tools, intent, max_bytes }).flatMap((name) => byName.get(name) ?? []);
}
