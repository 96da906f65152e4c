import { exposeTools, type ToolExposure } from '@loom/engine/tool-exposure/expose-tools';
import { turnIntent } from '@loom/engine/tool-exposure/turn-intent';
import type { ChatMessage, ToolSpec } from '@loom/shared/chat';

/** The schemas that the next model call of a turn gets, chosen by the messages that it gets to see. */
export function offeredTools(params: {
  mode: ToolExposure;
  /** Every tool that can be used. */
  specs: readonly ToolSpec[];
  messages: readonly ChatMessage[];
}): ToolSpec[] {
  const { mode, specs, messages } = params;
  const tools = specs.map((spec) => ({
    name: spec.name,
    description: spec.description,
    schema_bytes: Buffer.byteLength(JSON.stringify(spec)),
  }));
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  return exposeTools({ mode, tools, intent: turnIntent(messages) }).flatMap(
    (name) => byName.get(name) ?? [],
  );
}
