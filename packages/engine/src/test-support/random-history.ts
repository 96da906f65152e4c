import type { ChatMessage } from '@loom/shared/chat';
import { estimateTokens } from '@loom/shared/text';
import fc from 'fast-check';
import type { PackableMessage } from '../window-blocks.ts';

/** What a history is expanded from: cheap to draw and to shrink, however long the history is. */
export interface HistorySeed {
  seed: number;
  messages: number;
}

/** Mostly short histories, some of thousands of messages. */
export const anyHistorySeed: fc.Arbitrary<HistorySeed> = fc.record({
  // Another seed is another history, not a simpler one.
  seed: fc.noShrink(fc.nat()),
  messages: fc.oneof(
    { weight: 6, arbitrary: fc.nat(60) },
    { weight: 3, arbitrary: fc.nat(1_000) },
    { weight: 1, arbitrary: fc.nat(10_000) },
  ),
});

/** Tokens of a message as the archive counts them. */
export function archivedTokens({ content, tool_calls = [] }: ChatMessage): number {
  const calls = tool_calls.length > 0 ? estimateTokens(JSON.stringify(tool_calls)) : 0;
  return estimateTokens(content) + calls;
}

/**
 * A history as anything could have written it: turns of any length, messages of no turn, questions
 * that wait behind a running turn, results late, doubled or missing, ids used again. Each content
 * begins with the message's number, and none holds another.
 */
export function expandHistory({ seed, messages }: HistorySeed): PackableMessage[] {
  const random = createRandom(seed);
  const chance = (share: number) => random() < share;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const history: PackableMessage[] = [];
  let turn = 1;
  let open: string[] = [];
  while (history.length < messages) {
    const number = history.length + 1;
    const content = makeContent(number, chance(0.03) ? upTo(20_000) : upTo(200));
    if (chance(0.15)) {
      turn += 1;
      open = [];
    }
    const message = makeMessage(content, open, { chance, upTo });
    if (message.tool_calls) open = message.tool_calls.map(({ id }) => id);
    else if (message.role === 'tool' && chance(0.9)) open = open.slice(1);
    const waits = message.role === 'user' && chance(0.05);
    const turn_id = chance(0.02) ? null : `turn_${waits ? turn + 1 : turn}`;
    history.push({ number, turn_id, token_count: archivedTokens(message), message });
  }
  return history;
}

function makeMessage(
  content: string,
  open: readonly string[],
  { chance, upTo }: { chance: (share: number) => boolean; upTo: (most: number) => number },
): ChatMessage {
  const [call] = open;
  if (call !== undefined ? chance(0.8) : chance(0.03)) {
    const failed = chance(0.1);
    return { role: 'tool', content, tool_call_id: call ?? 'x', tool_name: 'read_file', failed };
  }
  if (chance(0.5)) return { role: 'user', content };
  const tool_calls = Array.from({ length: upTo(3) }, () => ({
    id: chance(0.2) ? 'x' : `call_${upTo(1_000)}`,
    name: 'read_file',
    arguments: { path: chance(0.02) ? 'long/'.repeat(upTo(2_000)) : 'a.ts' },
  }));
  return { role: 'assistant', content, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
}

function makeContent(number: number, chars: number): string {
  return `${number}: ${'lorem ipsum '.repeat(Math.ceil(chars / 12)).slice(0, chars)} :${number}`;
}

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
