import type { TurnBrief } from '@loom/db/load-turn';
import { packWindow } from '@loom/engine/pack-window';
import { refersBack } from '@loom/engine/refers-back';
import { AppError } from '@loom/shared/app-error';
import type { ChatMessage, ModelInfo, ToolSpec } from '@loom/shared/chat';
import type { SessionState } from '@loom/shared/session-state';
import { estimateTokens } from '@loom/shared/text';
import { coworkPrompt } from './prompts/cowork.ts';
import { coworkNotes, mostIndexTokens, pinnedNotes } from './prompts/cowork-notes.ts';

interface WindowParams {
  brief: TurnBrief;
  turn_id: string;
  state: SessionState;
  rules: readonly string[];
  model: Pick<ModelInfo, 'context_tokens' | 'max_output_tokens'>;
  tools: readonly ToolSpec[];
  /** How many tokens the provider counts for one of ours. */
  calibration: number;
  /** Sections for what stands behind the conversation. */
  more: readonly (string | null)[];
}

/** What providers add around messages and tools, and what our estimate may miss. */
const safety = 0.95;
/** A provider that counts even less than this is not believed. */
const leastCalibration = 0.5;
/** The conversation always has this much, however long prompt and tools are. */
const leastTokens = 500;

interface CoworkWindow {
  messages: ChatMessage[];
  /** With the tools, as we count. */
  tokens: number;
}

/**
 * The messages of a turn's next model call, and their tokens as we count: what is stable first, then
 * the conversation so far, and right before the turn itself what changes from call to call. An error
 * when what has to be in it is more than the model can read.
 */
export function coworkWindow(params: WindowParams): CoworkWindow | AppError {
  const prompt = coworkPrompt({ ...params.brief, rules: params.rules });
  const stable = tokensOf(prompt) + estimateTokens(JSON.stringify(params.tools));
  const { packed, notes } = packWithNotes(params, budgetFor(params) - stable);
  const { messages, earlier } = packed;
  const own = messages.slice(earlier);
  const all = [prompt, ...messages.slice(0, earlier), ...(notes === null ? [] : [notes]), ...own];
  const tokens = stable + tokensOf(notes) + packed.tokens;
  return tokens > mostFor(params) ? tooLong(tokens, params) : { messages: all, tokens };
}

/** What the model can read at all; a provider that counts more than we do may still be wrong. */
function mostFor({ model, calibration }: WindowParams): number {
  const { context_tokens } = model;
  return context_tokens / Math.min(1, Math.max(leastCalibration, calibration));
}

/** What the model can read besides its answer. */
function budgetFor({ model, calibration }: WindowParams): number {
  const { context_tokens, max_output_tokens } = model;
  // A small window whose answer could fill it whole still has to hold the question.
  const answer = Math.min(max_output_tokens, context_tokens / 2);
  return Math.floor(((context_tokens - answer) * safety) / Math.max(leastCalibration, calibration));
}

/** As much of the conversation as there is room for besides the notes, which say what is not in it. */
function packWithNotes(params: WindowParams, room: number) {
  const { recent } = params.brief;
  const before = Math.max(0, (recent[0]?.number ?? 1) - 1);
  const pack = (tokens: number) => packWindow(recent, params.turn_id, tokens);
  const left = room - tokensOf(notesFor(params, 0, []));
  if (before === 0 && left >= leastTokens) {
    const packed = pack(left);
    if (packed.omitted === 0) return { packed, notes: notesFor(params, 0, []) };
  }
  // How long the index is comes out only when all is packed.
  const leftWithIndex = left - mostIndexTokens;
  if (leftWithIndex >= leastTokens) {
    const packed = pack(leftWithIndex);
    return { packed, notes: notesFor(params, before + packed.omitted, packed.messages) };
  }
  const notes = pinnedNotes({ ...params, delegations: params.brief.delegations });
  return { packed: pack(Math.max(leastTokens, room - tokensOf(notes))), notes };
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
  return estimateTokens(message.content) + 8;
}

function tooLong(tokens: number, { model }: WindowParams): AppError {
  const { context_tokens } = model;
  return new AppError(
    'context_too_long',
    `Prompt, tools and what must stay in view take about ${tokens} tokens; the model has room for ${context_tokens}. Use a model with a larger context, or shorten the session's system prompt.`,
  );
}
