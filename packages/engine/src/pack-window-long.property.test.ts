import type { ChatMessage } from '@loom/shared/chat';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PackedWindow, packWindow } from './pack-window.ts';
import { anyHistorySeed, archivedTokens, expandHistory } from './test-support/random-history.ts';
import type { PackableMessage } from './window-blocks.ts';

interface Case {
  history: PackableMessage[];
  turn: string;
  budget: number;
  packed: PackedWindow;
}

const anyCase = fc
  .tuple(
    anyHistorySeed,
    // Which turn asks: the last one, or one before it.
    fc.oneof(fc.constant(0), fc.nat(100)),
    fc.oneof(fc.integer({ min: 500, max: 4_000 }), fc.integer({ min: 500, max: 200_000 })),
  )
  .map(([seed, back, budget]): Case => {
    const history = expandHistory(seed);
    const turns = [...new Set(history.map(({ turn_id }) => turn_id))].filter((id) => id !== null);
    const turn = turns.at(-1 - (back % Math.max(1, turns.length))) ?? 'turn_1';
    return { history, turn, budget, packed: packWindow(history, turn, budget) };
  });

// Shrinking a case as large as these takes minutes; its seed plays it again.
const check = (property: (one: Case) => void) =>
  fc.assert(fc.property(anyCase, property), { numRuns: 100, endOnFailure: true });

const roomOf = (messages: readonly ChatMessage[]) =>
  messages.reduce((sum, message) => sum + archivedTokens(message) + 8, 0);

/** The stored message that a shown one is or was cut from, by the number that its content begins with. */
function originalOf({ history }: Case, { content }: ChatMessage): PackableMessage | undefined {
  const number = /^\d+(?=:)/.exec(content)?.[0];
  return number === undefined ? undefined : history[Number(number) - 1];
}

test('never above the budget, and what it says it takes is what it takes', () => {
  check(({ packed, budget }) => {
    expect(roomOf(packed.messages)).toBeLessThanOrEqual(budget);
    expect(packed.tokens).toBeLessThanOrEqual(budget);
    expect(packed.tokens).toBeGreaterThanOrEqual(roomOf(packed.messages) - packed.messages.length);
  });
});

test('no call without all of its results, no result without its call', () => {
  check(({ packed }) => {
    let expected: string[] = [];
    for (const message of packed.messages) {
      if (message.role === 'tool') {
        if (message.tool_call_id !== expected.shift()) expect.fail(`${message.content} is alone`);
      } else {
        if (expected.length > 0) expect.fail(`no result before ${message.content}`);
        expected = message.tool_calls?.map(({ id }) => id) ?? [];
      }
    }
    expect(expected).toEqual([]);
  });
});

test('the turn’s first message and its newest exchange are there, whole unless they alone are too long', () => {
  check((one) => {
    const { history, turn, budget, packed } = one;
    const own = history.filter(({ turn_id }) => turn_id === turn);
    const begun = own[0]?.number ?? 0;
    // What belongs to no turn belongs to the one that runs.
    const spoken = history.filter(
      ({ turn_id, number, message }) =>
        message.role !== 'tool' &&
        (turn_id === turn || (turn_id === null && begun > 0 && number > begun)),
    );
    fc.pre(spoken.length > 0);
    const ends = [spoken[0], spoken.at(-1)];
    const shown = packed.messages.slice(packed.earlier).filter(({ role }) => role !== 'tool');
    expect(originalOf(one, shown[0] as ChatMessage)).toBe(ends[0]);
    expect(originalOf(one, shown.at(-1) as ChatMessage)).toBe(ends[1]);
    const whole = packWindow(history, turn, 100_000_000).messages;
    const newest = whole.slice(whole.indexOf(ends[1]?.message as ChatMessage));
    const needed = [...new Set([ends[0]?.message as ChatMessage, ...newest])];
    if (roomOf(needed) + needed.length > budget) return;
    expect(packed.messages.slice(-newest.length)).toEqual(newest);
    expect(packed.messages).toContain(ends[0]?.message);
  });
});

test('turns in the order in which they began, messages in theirs, each at most once', () => {
  check((one) => {
    const began = new Map<string, number>();
    for (const { turn_id, number } of one.history) {
      if (turn_id !== null && !began.has(turn_id)) began.set(turn_id, number);
    }
    const start = began.get(one.turn) ?? Number.POSITIVE_INFINITY;
    const places = one.packed.messages
      .filter(({ role }) => role !== 'tool')
      .map((message) => originalOf(one, message) as PackableMessage)
      .map(({ turn_id, number }) => {
        const alone = Math.min(number, start);
        return { turn: turn_id === null ? alone : (began.get(turn_id) ?? 0), number };
      });
    const sorted = places.toSorted((a, b) => a.turn - b.turn || a.number - b.number);
    expect(places).toEqual(sorted);
    expect(new Set(places.map(({ number }) => number)).size).toBe(places.length);
    expect(places.every(({ turn }) => turn <= start)).toBe(true);
  });
});

test('nothing is invented: a message is as it was stored, or says what was left out of it', () => {
  check((one) => {
    const stored = new Set(one.history.map(({ message }) => message));
    for (const message of one.packed.messages.filter((shown) => !stored.has(shown))) {
      const original = originalOf(one, message)?.message;
      if (original === undefined) {
        expect(message.role).toBe('tool');
        expect(message.content).toMatch(
          /^No result was recorded for this call\.$|^\[left out here; conversation_recall/,
        );
        continue;
      }
      const [head = '', tail = ''] = message.content.split(
        /\n\[… \d+ characters left out here.*\n/,
      );
      expect({ ...message, content: '', tool_calls: [] }).toEqual({
        ...original,
        content: '',
        tool_calls: [],
      });
      expect(original.content.startsWith(head) && original.content.endsWith(tail)).toBe(true);
      const named = ({ tool_calls = [] }: ChatMessage) =>
        tool_calls.map(({ id, name }) => [id, name]);
      expect(named(message)).toEqual(named(original));
    }
  });
});
