import type { ChatMessage, ToolCall } from '@loom/shared/chat';

/**
 * Calls whose ids no earlier message has used. Some models count anew in every reply, but a
 * result, a ledger line and a delegated task find their call by its id.
 */
export function distinctCallIds(
  calls: readonly ToolCall[],
  earlier: readonly ChatMessage[],
): ToolCall[] {
  const used = new Set(earlier.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []));
  return calls.map((call) => {
    let id = call.id;
    for (let copy = 2; used.has(id); copy += 1) id = `${call.id}-${copy}`;
    used.add(id);
    return { ...call, id };
  });
}
