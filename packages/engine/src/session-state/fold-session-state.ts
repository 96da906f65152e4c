import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import type { SessionState } from '@loom/shared/session-state';
import { firstLine } from '@loom/shared/text';
import { targetCall } from '../tool-exposure/read-run-tool.ts';
import { findConstraints } from './find-constraints.ts';

/** A message of the archive as the state takes it in. */
export interface NumberedMessage {
  number: number;
  message: ChatMessage;
}

const maxFiles = 20;
const maxDecisions = 10;
const maxConstraints = 20;
const maxErrorsResolved = 5;
const maxOpenErrors = 20;

/** What each file tool did to the file it names. */
const fileActions: Record<string, string> = {
  read_file: 'read',
  write_file: 'written',
  edit_file: 'edited',
  move_file: 'moved',
  delete_file: 'deleted',
};

/** The state with more messages, in order; those that it includes already change nothing. */
export function foldSessionState(
  state: SessionState,
  messages: readonly NumberedMessage[],
): SessionState {
  return messages.reduce(
    (folded, one) => (one.number <= folded.upto ? folded : foldMessage(folded, one)),
    state,
  );
}

function foldMessage(state: SessionState, { number, message }: NumberedMessage): SessionState {
  const next = { ...state, upto: number };
  switch (message.role) {
    case 'user':
      return takeWords(next, number, message.content);
    case 'assistant':
      return { ...next, open_calls: (message.tool_calls ?? []).map(targetCall).map(toOpenCall) };
    case 'tool':
      return takeResult(next, number, message);
    default:
      return next;
  }
}

function takeWords(state: SessionState, number: number, content: string): SessionState {
  const found = findConstraints(content).map((text) => ({ text, number }));
  const said = new Set(found.map(({ text }) => text.toLowerCase()));
  const kept = state.constraints.filter(({ text }) => !said.has(text.toLowerCase()));
  return {
    ...state,
    focus: firstLine(content.trimStart(), 100),
    constraints: [...kept, ...found].slice(-maxConstraints),
  };
}

function toOpenCall({ id, name, arguments: input }: ToolCall): SessionState['open_calls'][number] {
  const fields = fieldsOf(input);
  const decision = name === 'record_decision' ? textOf(fields.decision) : '';
  return { id, tool: name, target: targetOf(fields), decision };
}

function takeResult(state: SessionState, number: number, result: ChatMessage): SessionState {
  const call = state.open_calls.find(({ id }) => id === result.tool_call_id);
  if (call === undefined) return state;
  const { tool, target, decision } = call;
  const rest = { ...state, open_calls: state.open_calls.filter((one) => one !== call) };
  if (result.failed === true) {
    const error = firstLine(result.content, 150);
    const others = rest.open_errors.filter((one) => !isSame(one, call));
    return { ...rest, open_errors: [...others, { tool, target, error }].slice(-maxOpenErrors) };
  }
  const resolved = rest.open_errors.filter((one) => isSame(one, call));
  return {
    ...rest,
    open_errors: rest.open_errors.filter((one) => !isSame(one, call)),
    errors_resolved: [
      ...rest.errors_resolved,
      ...resolved.map((one) => ({ ...one, number })),
    ].slice(-maxErrorsResolved),
    files: withFile(rest.files, tool, target, number),
    decisions:
      decision === ''
        ? rest.decisions
        : [...rest.decisions, { text: decision, number }].slice(-maxDecisions),
  };
}

function withFile(
  files: SessionState['files'],
  tool: string,
  path: string,
  number: number,
): SessionState['files'] {
  const action = fileActions[tool];
  if (action === undefined || path === '') return files;
  const before = files.find((file) => file.path === path);
  // To have been looked at again says less than that it was changed.
  const told = action === 'read' && before !== undefined ? before.action : action;
  const others = files.filter((file) => file !== before);
  return [...others, { path, action: told, number }].slice(-maxFiles);
}

function isSame(one: { tool: string; target: string }, other: { tool: string; target: string }) {
  return one.tool === other.tool && one.target === other.target;
}

function targetOf({ path, destination, command, url, source }: Record<string, unknown>): string {
  const named = [path, destination, command, url, source].map(textOf).find((text) => text !== '');
  return firstLine(named ?? '', 200);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : {};
}
