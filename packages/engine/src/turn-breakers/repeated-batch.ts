import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { cutText, firstLine } from '@loom/shared/text';
import { targetCall } from '../tool-exposure/read-run-tool.ts';
import { batchSignature } from './batch-signature.ts';
import { type BreakerStep, breakerNote, hasNote } from './breaker-notes.ts';

/** Rounds of the same calls in a row after which the model is told, and after which the turn ends. */
const roundsBeforeNote = 3;
const roundsBeforeClose = 4;

const maxShownCalls = 3;
const maxShownArguments = 200;
const maxShownResult = 600;

/**
 * Whether a turn's messages end in rounds of the very same calls: three get a note, one more ends
 * the turn with a text that says so. The last message may be a reply that is not stored yet. What
 * the user says in between begins a new count.
 */
export function repeatedBatch(turn: readonly ChatMessage[]): BreakerStep | null {
  const rounds = lastRounds(turn);
  if (rounds.length < roundsBeforeNote) return null;
  if (!hasNote(turn, 'repeated')) return breakerNote('repeated');
  return rounds.length < roundsBeforeClose
    ? null
    : { kind: 'close', text: closingText(turn, rounds) };
}

/** The rounds of equal calls with which a turn ends, newest first. */
function lastRounds(turn: readonly ChatMessage[]): ToolCall[][] {
  const rounds: ToolCall[][] = [];
  let same: string | null = null;
  for (const { role, tool_calls = [] } of turn.toReversed()) {
    if (role === 'user') break;
    if (role !== 'assistant') continue;
    if (tool_calls.length === 0) break;
    const signature = batchSignature(tool_calls);
    same ??= signature;
    if (signature !== same) break;
    rounds.push(tool_calls);
  }
  return rounds;
}

function closingText(turn: readonly ChatMessage[], rounds: readonly ToolCall[][]): string {
  const calls = rounds[0] ?? [];
  const shown = calls.slice(0, maxShownCalls).map(targetCall);
  const more = calls.length - shown.length;
  const parts = [
    `I stopped here because I was going round in circles: I asked for the same ${calls.length === 1 ? 'step' : 'steps'} ${rounds.length} times in a row.`,
    `Repeated:\n${[...shown.map(describeCall), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')}`,
  ];
  const known = lastResults(turn, rounds).slice(0, maxShownCalls);
  parts.push(
    known.length > 0 ? `What came of it last:\n${known.join('\n')}` : 'No result is known.',
  );
  parts.push('Tell me how to go on, or what to try instead.');
  return parts.join('\n\n');
}

function describeCall({ name, arguments: args }: ToolCall): string {
  return `- ${name} ${firstLine(JSON.stringify(args) ?? '{}', maxShownArguments)}`;
}

/** The results of the newest round that has any. */
function lastResults(turn: readonly ChatMessage[], rounds: readonly ToolCall[][]): string[] {
  for (const calls of rounds) {
    const results = calls.flatMap((call) => {
      const result = turn.findLast(
        ({ role, tool_call_id }) => role === 'tool' && tool_call_id === call.id,
      );
      return result === undefined ? [] : [describeResult(targetCall(call).name, result.content)];
    });
    if (results.length > 0) return results;
  }
  return [];
}

function describeResult(name: string, content: string): string {
  const text = content.trim();
  const shown = text.length <= maxShownResult ? text : `${cutText(text, maxShownResult)}…`;
  return `- ${name}: ${shown === '' ? '(nothing)' : shown.replaceAll('\n', '\n  ')}`;
}
