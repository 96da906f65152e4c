import type { ToolCall } from '@loom/shared/chat';
import type { JsonValue } from '@loom/shared/json';
import { toStorableJson, toStorableText } from '@loom/shared/text';

/** A call as a provider reports it: arguments are still the model's own text. */
export interface RawToolCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Calls with ids unique in the reply and with arguments as the JSON the model sent;
 * what is not JSON stays the raw string. `earlier` counts the conversation's calls so far.
 */
export function toToolCalls(calls: readonly RawToolCall[], earlier = 0): ToolCall[] {
  const used = new Set<string>();
  return calls.map((call, index) => ({
    id: takeId(toStorableText(call.id.trim()) || `call-${earlier + index + 1}`, used),
    name: toStorableText(call.name),
    arguments: toStorableJson(parseArguments(call.arguments)),
  }));
}

function takeId(wanted: string, used: Set<string>): string {
  let id = wanted;
  for (let copy = 2; used.has(id); copy += 1) id = `${wanted}-${copy}`;
  used.add(id);
  return id;
}

// Models send an empty text for a tool without parameters.
function parseArguments(text: string): JsonValue {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
