import { targetCall } from '@loom/engine/tool-exposure/read-run-tool';
import { nothingWanted, type Wants } from '@loom/shared/budget';
import type { ToolCall } from '@loom/shared/chat';
import type { ToolRegistry } from '@loom/shared/tool';

/** What a unit asks for before it asks its model again. */
export const oneModelCall: Wants = { ...nothingWanted, model_calls: 1 };

/** What a unit asks for before it runs these calls; whatever is not a mere read may change something. */
export function toolWants(calls: readonly ToolCall[], tools: ToolRegistry): Wants {
  const mutating = calls.filter(
    (call) => (tools.effect(targetCall(call).name) ?? 'read') !== 'read',
  );
  return {
    model_calls: 0,
    tool_calls: calls.length,
    mutating_tool_calls: mutating.length,
  };
}
