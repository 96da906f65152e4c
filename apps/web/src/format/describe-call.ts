import type { ToolCall } from '@loom/shared/chat';

const tellingKeys = [
  'path',
  'command',
  'goal',
  'pattern',
  'query',
  'url',
  'question',
  'source',
  'name',
];

/** The one argument that tells a reader what a tool call is about. */
export function describeCall(call: ToolCall): string {
  const args = call.arguments;
  if (typeof args === 'string') return oneLine(args);
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return '';
  const key = tellingKeys.find((candidate) => typeof args[candidate] === 'string');
  const value = key === undefined ? Object.values(args)[0] : args[key];
  if (value === undefined || value === null) return '';
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
