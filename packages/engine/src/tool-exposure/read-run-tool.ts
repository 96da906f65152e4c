import type { ToolCall } from '@loom/shared/chat';
import type { JsonObject, JsonValue } from '@loom/shared/json';

const runTool = 'run_tool';
const fields = ['name', 'arguments'];

type RunToolRequest = { name: string; arguments: JsonObject } | { problem: string };

/** What a call of `run_tool` asks for, or a sentence on how to correct it. */
export function readRunTool(input: JsonValue): RunToolRequest {
  if (!isObject(input)) return { problem: 'give an object with "name" and "arguments"' };
  const stray = Object.keys(input).find((key) => !fields.includes(key));
  if (stray !== undefined) {
    return { problem: `put "${stray.slice(0, 100)}" into "arguments", beside "name"` };
  }
  const { name } = input;
  if (typeof name !== 'string' || name.trim() === '') {
    return { problem: '"name" must be the name of a tool; list_tools shows them' };
  }
  if (name.trim() === runTool) {
    return { problem: 'run_tool cannot run itself; put the name of the tool you want into "name"' };
  }
  const args = readArguments(input.arguments ?? {});
  if (args !== null) return { name: name.trim(), arguments: args };
  return { problem: '"arguments" must be a JSON object with the arguments of the tool' };
}

/**
 * The call that is really meant: the target of a `run_tool` call under the same id, every other
 * call as it is. A `run_tool` call that cannot be read stays what it is, and its own check answers it.
 */
export function targetCall(call: ToolCall): ToolCall {
  if (call.name !== runTool) return call;
  const request = readRunTool(call.arguments);
  return 'problem' in request ? call : { id: call.id, ...request };
}

/** Some models write the object down as text. */
function readArguments(value: JsonValue): JsonObject | null {
  if (isObject(value)) return value;
  if (typeof value !== 'string') return null;
  try {
    const parsed: JsonValue = JSON.parse(value.trim() === '' ? '{}' : value);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
