import type { ChatMessage } from '@loom/shared/chat';
import { type Block, overheadTokens, type PackableMessage, toBlocks } from './window-blocks.ts';
import { fitMessage, roomOf, withoutResults } from './window-cuts.ts';

/** What a model call gets of the archive, and how many of its messages are not in it. */
export interface PackedWindow {
  messages: ChatMessage[];
  /** Of these messages, how many stand before the turn's own. */
  earlier: number;
  omitted: number;
  /** The room that the messages take. */
  tokens: number;
}

/**
 * The view of the archive that a turn's next model call gets, oldest first: the turn's first
 * message, its newest exchange, as much as fits of what lies between, and then of the turns before.
 * It never takes more than the budget: what cannot be shown whole is shown by its beginning and
 * end, and the archive has all of it. What waits in later turns is not part of it.
 */
export function packWindow(
  archive: readonly PackableMessage[],
  turnId: string,
  budgetTokens: number,
): PackedWindow {
  const { own, earlier } = splitTurns(archive, turnId);
  const total = earlier.reduce((sum, turn) => sum + turn.length, own.length);
  const blocks = toBlocks(own);
  const [first, newest] = [blocks[0], blocks.at(-1)];
  const ends = first === undefined || newest === undefined ? [] : [...new Set([first, newest])];
  const fitted = fitBlocks(ends, budgetTokens);
  const room = { left: budgetTokens - tokensOf(fitted) };
  const middle = takeMiddle(blocks.slice(1, -1), room);
  const before = takeNewest(earlier, room.left);
  const kept = [...before, ...fitted.slice(0, 1), ...middle, ...fitted.slice(1)];
  return {
    messages: messagesOf(kept),
    earlier: before.reduce((sum, { messages }) => sum + messages.length, 0),
    omitted: total - storedIn(kept),
    tokens: tokensOf(kept),
  };
}

/**
 * The turn's own messages, and the turns that began before it, each with its messages. What belongs
 * to no turn stands where it came: by itself, or in the turn if that had begun.
 */
function splitTurns(archive: readonly PackableMessage[], turnId: string) {
  const turns = new Map<string, PackableMessage[]>();
  for (const one of archive) {
    const id = one.turn_id ?? (turns.has(turnId) ? turnId : `message ${one.number}`);
    const turn = turns.get(id);
    if (turn === undefined) turns.set(id, [one]);
    else turn.push(one);
  }
  const ids = [...turns.keys()];
  const at = ids.indexOf(turnId);
  const earlier = [...turns.values()].slice(0, at === -1 ? ids.length : at);
  return { own: turns.get(turnId) ?? [], earlier };
}

/** Whole blocks from the end, up to the first that does not fit; what lies before it is not looked at. */
function takeNewest(turns: readonly (readonly PackableMessage[])[], room: number): Block[] {
  const kept: Block[] = [];
  let left = room;
  for (const turn of turns.toReversed()) {
    for (const block of toBlocks(turn).reverse()) {
      left -= block.tokens;
      if (left < 0) return kept.reverse();
      kept.push(block);
    }
  }
  return kept.reverse();
}

/** Exchanges of the turn itself, from the newest: whole, without their results, or not at all. */
function takeMiddle(blocks: readonly Block[], room: { left: number }): Block[] {
  const kept: Block[] = [];
  for (const block of [...blocks].reverse()) {
    const shown = [block, withoutResults(block)].find(({ tokens }) => tokens <= room.left);
    if (shown === undefined) break;
    room.left -= shown.tokens;
    kept.push(shown);
  }
  return kept.reverse();
}

/** Blocks that must be shown, cut where they are longest until they fit. */
function fitBlocks(blocks: readonly Block[], budget: number): Block[] {
  if (tokensOf(blocks) <= budget) return [...blocks];
  const sizes = blocks.flatMap(({ messages }) => messages.map(roomOf)).sort((a, b) => a - b);
  const most = Math.max(0, shareOf(sizes, budget) - overheadTokens);
  return blocks.map((block) => {
    const messages = block.messages.map((message) => fitMessage(message, most));
    const tokens = messages.reduce((sum, one) => sum + roomOf(one), 0);
    return { ...block, messages, tokens };
  });
}

/** The size to which all larger ones must come down so that together they fit. */
function shareOf(sortedSizes: readonly number[], budget: number): number {
  let left = budget;
  for (const [index, size] of sortedSizes.entries()) {
    const share = Math.floor(left / (sortedSizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.MAX_SAFE_INTEGER;
}

function tokensOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

function storedIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { stored }) => sum + stored, 0);
}

function messagesOf(blocks: readonly Block[]): ChatMessage[] {
  return blocks.flatMap(({ messages }) => messages);
}
