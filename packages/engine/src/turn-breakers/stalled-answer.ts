import type { ChatMessage } from '@loom/shared/chat';
import type { ToolExposure } from '../tool-exposure/expose-tools.ts';
import { type BreakerStep, breakerNote, hasNote } from './breaker-notes.ts';
import { isStallPhrase } from './is-stall-phrase.ts';

/** What to do about a reply without calls that only announces work: in hybrid mode it is asked for once a turn, then it stands. */
export function stalledAnswer(
  turn: readonly ChatMessage[],
  text: string,
  mode: ToolExposure,
): BreakerStep | null {
  if (mode !== 'hybrid' || hasNote(turn, 'stalled') || !isStallPhrase(text)) return null;
  return breakerNote('stalled');
}
