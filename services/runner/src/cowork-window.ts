import type { TurnBrief } from '@loom/db/load-turn';
import { packWindow } from '@loom/engine/pack-window';
import { refersBack } from '@loom/engine/refers-back';
import type { ChatMessage, ModelInfo, ToolSpec } from '@loom/shared/chat';
import type { SessionState } from '@loom/shared/session-state';
import { estimateTokens } from '@loom/shared/text';
import { coworkPrompt } from './prompts/cowork.ts';
import { coworkNotes } from './prompts/cowork-notes.ts';

interface WindowParams {
  brief: TurnBrief;
  turn_id: string;
  state: SessionState;
  rules: readonly string[];
  model: Pick<ModelInfo, 'context_tokens' | 'max_output_tokens'> | null;
  tools: readonly ToolSpec[];
  /** How many tokens the provider counts for one of ours. */
  calibration: number;
  /** Sections for what stands behind the conversation. */
  more: readonly (string | null)[];
}

const defaultModel = { context_tokens: 32_000, max_output_tokens: 8_192 };
/** What providers add around messages and tools, and what our estimate may miss. */
const safety = 0.95;
/** The conversation always has this much, however long prompt and tools are. */
const leastTokens = 500;

/**
 * The messages of a turn's next model call, and their tokens as we count: what is stable first, then
 * the conversation so far, and right before the turn itself what changes from call to call.
 */
export function coworkWindow(params: WindowParams): { messages: ChatMessage[]; tokens: number } {
  const { brief, turn_id } = params;
  const prompt = coworkPrompt({ ...brief, rules: params.rules });
  // What is left out is only known once it is packed; the notes are made for both and the longer counts.
  const draft = notesFor(params, brief.recent.length, []);
  const toolTokens = estimateTokens(JSON.stringify(params.tools));
  const fixed = tokensOf(prompt) + tokensOf(draft) + toolTokens;
  const { messages, earlier, omitted } = packWindow(
    brief.recent,
    turn_id,
    budgetFor(params, fixed),
  );
  const older = omitted + Math.max(0, (brief.recent[0]?.number ?? 1) - 1);
  const notes = notesFor(params, older, messages);
  const own = messages.slice(earlier);
  const all = [prompt, ...messages.slice(0, earlier), ...(notes === null ? [] : [notes]), ...own];
  return { messages: all, tokens: all.reduce((sum, one) => sum + tokensOf(one), toolTokens) };
}

function budgetFor({ model, calibration }: WindowParams, fixed: number): number {
  const { context_tokens, max_output_tokens } = model ?? defaultModel;
  // A small window whose answer could fill it whole still has to hold the question.
  const answer = Math.min(max_output_tokens, context_tokens / 2);
  const whole = ((context_tokens - answer) * safety) / Math.max(0.5, calibration);
  return Math.max(leastTokens, Math.floor(whole - fixed));
}

function notesFor(
  { brief, turn_id, state, more }: WindowParams,
  omitted: number,
  shown: readonly ChatMessage[],
): ChatMessage | null {
  const inView = new Set(shown);
  const said = brief.recent.filter(({ message }) => message.role === 'user');
  const question = said.findLast((one) => one.turn_id === turn_id)?.message.content ?? '';
  return coworkNotes({
    state,
    delegations: brief.delegations,
    omitted,
    index: said
      .filter(({ message }) => !inView.has(message))
      .map(({ number, message }) => ({ number, line: message.content })),
    refers_back: refersBack(question),
    more,
  });
}

function tokensOf(message: ChatMessage | null): number {
  if (message === null) return 0;
  const { content, tool_calls } = message;
  return estimateTokens(content) + estimateTokens(JSON.stringify(tool_calls ?? '')) + 8;
}
