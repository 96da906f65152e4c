import type { ChatMessage } from '@loom/shared/chat';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PackableMessage, packWindow } from './pack-window.ts';

const turnIds = ['t1', 't2', 't3', 't4'];

/** Any archive: turns interleaved, results early, late, doubled or missing, ids used again. */
const anyArchive = fc
  .array(
    fc.record({
      turn: fc.constantFrom(...turnIds),
      role: fc.constantFrom('user', 'assistant', 'tool'),
      ids: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
      tokens: fc.nat(30),
    }),
    { maxLength: 40 },
  )
  .map((lines) =>
    lines.map(
      ({ turn, role, ids, tokens }, at): PackableMessage => ({
        number: at + 1,
        turn_id: turn,
        token_count: tokens,
        message: toMessage(role, ids, `${at + 1}`),
      }),
    ),
  );

function toMessage(role: string, ids: string[], content: string): ChatMessage {
  if (role === 'tool') {
    return { role, content, tool_call_id: ids[0] ?? 'x', tool_name: 'read_file' };
  }
  if (role === 'user' || ids.length === 0) return { role: 'user', content };
  const tool_calls = ids.map((id) => ({ id, name: 'read_file', arguments: {} }));
  return { role: 'assistant', content, tool_calls };
}

const anyCase = fc.tuple(anyArchive, fc.constantFrom(...turnIds), fc.nat(600));

function tokensOf(message: ChatMessage, archive: PackableMessage[]): number {
  const stored = archive.find((one) => one.message === message);
  return (stored?.token_count ?? Math.ceil(message.content.length / 4)) + 8;
}

test('every call is followed by exactly its results, and no result stands alone', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn, budget]) => {
      let expected: string[] = [];
      for (const message of packWindow(archive, turn, budget).messages) {
        if (message.role === 'tool') expect(message.tool_call_id).toBe(expected.shift());
        else {
          expect(expected).toEqual([]);
          expected = message.tool_calls?.map(({ id }) => id) ?? [];
        }
      }
      expect(expected).toEqual([]);
    }),
  );
});

test('the budget holds, unless this turn alone is above it: then nothing else is shown', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn, budget]) => {
      const { messages } = packWindow(archive, turn, budget);
      const own = packWindow(
        archive.filter(({ turn_id }) => turn_id === turn),
        turn,
        0,
      ).messages;
      const sum = (some: ChatMessage[]) =>
        some.reduce((total, message) => total + tokensOf(message, archive), 0);
      expect(sum(messages)).toBeLessThanOrEqual(Math.max(budget, sum(own)));
      expect(messages.slice(messages.length - own.length)).toEqual(own);
      if (sum(own) > budget) expect(messages).toEqual(own);
    }),
  );
});

test('turns stand in the order in which they began, and none that began later is there', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn, budget]) => {
      const { messages, omitted } = packWindow(archive, turn, budget);
      const order = [...new Set(archive.map(({ turn_id }) => turn_id))];
      const upToOwn = order.includes(turn) ? order.slice(0, order.indexOf(turn) + 1) : order;
      const shown = messages.flatMap((message) => {
        const stored = archive.find((one) => one.message === message);
        return stored === undefined ? [] : [stored];
      });
      const places = shown.map(({ turn_id }) => upToOwn.indexOf(turn_id));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      // Nothing is shown twice, and what is not shown is counted.
      expect(new Set(shown).size).toBe(shown.length);
      const visible = archive.filter(({ turn_id }) => upToOwn.includes(turn_id));
      expect(omitted).toBe(visible.length - shown.length);
    }),
  );
});

test('a larger budget never shows less', () => {
  fc.assert(
    fc.property(anyCase, fc.nat(200), ([archive, turn, budget], more) => {
      const small = packWindow(archive, turn, budget).messages;
      const large = packWindow(archive, turn, budget + more).messages;
      expect(large.slice(large.length - small.length)).toEqual(small);
    }),
  );
});
