import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { cutText, firstLine } from '@loom/shared/text';

const maxArguments = 100;
const maxOutcome = 100;
const maxReferences = 4;

const maxLine = 360;

/** How many calls a merged part may list, from the most to none. */
export const mergedCalls = [40, 8, 0] as const;

/** The most tokens that a merged part takes which lists so many calls. */
export function mergedTokens(told: number): number {
  return Math.ceil((200 + told * (maxLine + 1)) / 4);
}

/** Whole exchanges as one message that lists their last calls and what came of them; what people said stays. */
export function mergedExchanges(exchanges: readonly ChatMessage[], told: number): ChatMessage[] {
  const calls = exchanges.flatMap(({ tool_calls }) => tool_calls ?? []);
  const results = new Map(exchanges.map((message) => [message.tool_call_id, message.content]));
  const said = exchanges.filter(({ role }) => role === 'user');
  const opening = `EARLIER STEPS of this subtask are left out here: ${calls.length} tool calls, the full text of which is in the journal.`;
  const shown = told === 0 ? [] : calls.slice(-told);
  const unshown = calls.length - shown.length;
  const lines = [
    opening,
    ...(unshown > 0 && told > 0 ? [`- ${unshown} calls before these`] : []),
    ...shown.map((call) => callLine(call, results.get(call.id) ?? '')),
  ];
  return [{ role: 'user', content: lines.join('\n') }, ...said];
}

function callLine({ name, arguments: args }: ToolCall, result: string): string {
  const asked = cutText(JSON.stringify(args), maxArguments);
  const outcome = firstLine(result, maxOutcome);
  const references = [...new Set(result.match(/af_\w+/g) ?? [])]
    .filter((reference) => !outcome.includes(reference))
    .slice(0, maxReferences);
  const kept = references.length === 0 ? '' : ` (${references.join(', ')})`;
  const line = `- ${cutText(name, 80)} ${asked} → ${outcome === '' ? 'no output' : outcome}${kept}`;
  return cutText(line, maxLine);
}
