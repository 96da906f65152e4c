import type { ToolCall } from '@loom/shared/chat';
import type { JsonValue } from '@loom/shared/json';
import { targetCall } from '../tool-exposure/read-run-tool.ts';

/** What two batches of calls have in common when they ask for the same, in whatever order. */
export function batchSignature(calls: readonly ToolCall[]): string {
  const each = calls.map(targetCall).map(({ name, arguments: args }) => inOneForm([name, args]));
  return each.sort().join('\n');
}

/** JSON with the keys of every object in order. */
function inOneForm(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inOneForm).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${inOneForm(inner)}`,
  );
  return `{${entries.sort().join(',')}}`;
}
