import type { ChatMessage } from '@loom/shared/chat';
import { targetCall } from '../tool-exposure/read-run-tool.ts';
import { type BreakerStep, breakerNote, hasNote } from './breaker-notes.ts';

const maxNamedTools = 10;

/** What to do about a reply without calls that says nothing either: ask once more, then end with a text that says so. */
export function emptyAnswer(turn: readonly ChatMessage[], text: string): BreakerStep | null {
  if (!isBlank(text)) return null;
  if (!hasNote(turn, 'empty')) return breakerNote('empty');
  return { kind: 'close', text: fallbackText(turn) };
}

/** Spaces, and marks that print nothing. */
function isBlank(text: string): boolean {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '') === '';
}

function fallbackText(turn: readonly ChatMessage[]): string {
  const counts = new Map<string, number>();
  for (const { name } of turn.flatMap(({ tool_calls }) => tool_calls ?? []).map(targetCall)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const named = [...counts].slice(0, maxNamedTools).map(([name, count]) => `${name} (${count})`);
  const done =
    named.length === 0
      ? 'No tool was called in this turn.'
      : `Tools called in this turn: ${named.join(', ')}${counts.size > named.length ? ' and others' : ''}; their results are in the conversation.`;
  return `The model gave no answer, also when it was asked again. ${done} Please write again, perhaps in other words.`;
}
