import type { ChatMessage, ModelReply } from '@loom/shared/chat';
import type { ToolExposure } from '../tool-exposure/expose-tools.ts';
import type { BreakerStep } from './breaker-notes.ts';
import { emptyAnswer } from './empty-answer.ts';
import { repeatedBatch } from './repeated-batch.ts';
import { stalledAnswer } from './stalled-answer.ts';

/**
 * What a reply comes to before it is stored: null, it is taken as it is; a note, it is stored with
 * the note behind it and the model is asked again; a text, the turn ends with that instead of it.
 */
export function judgeReply(
  turn: readonly ChatMessage[],
  reply: Pick<ModelReply, 'text' | 'tool_calls'>,
  mode: ToolExposure,
): BreakerStep | null {
  const { text, tool_calls } = reply;
  if (tool_calls.length === 0) return emptyAnswer(turn, text) ?? stalledAnswer(turn, text, mode);
  const step = repeatedBatch([...turn, { role: 'assistant', content: text, tool_calls }]);
  // The round that gets the note is still run: the note stands behind its results.
  return step?.kind === 'close' ? step : null;
}
