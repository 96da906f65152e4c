import type { ChatMessage } from '@loom/shared/chat';
import { estimateTokens } from '@loom/shared/text';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packWindow } from './pack-window.ts';
import type { PackableMessage } from './window-blocks.ts';

const turnIds = ['t1', 't2', 't3', 't4'];

/** Any archive: turns interleaved, results early, late, doubled or missing, ids used again. */
const anyArchive = fc
  .array(
    fc.record({
      turn: fc.constantFrom(...turnIds),
      role: fc.constantFrom('user', 'assistant', 'tool'),
      ids: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
      chars: fc.oneof(fc.nat(120), fc.nat(2_000)),
    }),
    { maxLength: 40 },
  )
  .map((lines) =>
    lines.map(({ turn, role, ids, chars }, at): PackableMessage => {
      const message = toMessage(role, ids, `${at + 1}`.padEnd(chars, 'x'));
      return { number: at + 1, turn_id: turn, token_count: sizeOf(message), message };
    }),
  );

function toMessage(role: string, ids: string[], content: string): ChatMessage {
  if (role === 'tool') {
    return { role, content, tool_call_id: ids[0] ?? 'x', tool_name: 'read_file' };
  }
  if (role === 'user' || ids.length === 0) return { role: 'user', content };
  const tool_calls = ids.map((id) => ({ id, name: 'read_file', arguments: {} }));
  return { role: 'assistant', content, tool_calls };
}

/** Room enough for names and ids of two exchanges, which cannot be cut. */
const anyBudget = fc.integer({ min: 300, max: 4_000 });
const anyCase = fc.tuple(anyArchive, fc.constantFrom(...turnIds), anyBudget);

/** As the archive counts it. */
function sizeOf({ content, tool_calls = [] }: ChatMessage): number {
  return (
    estimateTokens(content) +
    (tool_calls.length > 0 ? estimateTokens(JSON.stringify(tool_calls)) : 0)
  );
}

const roomOf = (messages: readonly ChatMessage[]) =>
  messages.reduce((sum, message) => sum + sizeOf(message) + 8, 0);

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

test('the budget holds, whatever the archive', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn, budget]) => {
      expect(roomOf(packWindow(archive, turn, budget).messages)).toBeLessThanOrEqual(budget);
    }),
  );
});

test('the turn’s first message and its newest exchange are always there, and all of it where it fits', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn, budget]) => {
      const own = archive.filter(({ turn_id }) => turn_id === turn);
      const spoken = own.filter(({ message }) => message.role !== 'tool');
      fc.pre(spoken.length > 0);
      const { messages } = packWindow(archive, turn, budget);
      const shown = messages.filter(({ role }) => role !== 'tool').map(({ content }) => content);
      const number = (text: string | undefined) => text?.match(/^\d+/)?.[0];
      expect(number(shown.at(-1))).toBe(`${spoken.at(-1)?.number}`);
      expect(shown.map(number)).toContain(`${spoken[0]?.number}`);
      const alone = packWindow(own, turn, 1_000_000).messages;
      if (roomOf(alone) <= budget) {
        expect(messages.slice(messages.length - alone.length)).toEqual(alone);
      }
    }),
  );
});

test('turns stand in the order in which they began, and none that began later is there', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn, budget]) => {
      const { messages, omitted } = packWindow(archive, turn, budget);
      const order = [...new Set(archive.map(({ turn_id }) => turn_id))];
      const upToOwn = order.includes(turn) ? order.slice(0, order.indexOf(turn) + 1) : order;
      const earlier = archive.filter(({ message }) => messages.includes(message));
      const shown = messages.flatMap((message) => earlier.filter((one) => one.message === message));
      const places = shown.map(({ turn_id }) => upToOwn.indexOf(turn_id));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(new Set(shown).size).toBe(shown.length);
      const visible = archive.filter(({ turn_id }) => upToOwn.includes(turn_id));
      expect(omitted).toBeLessThanOrEqual(visible.length - shown.length);
      expect(omitted).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('with room for everything, everything is shown as it is', () => {
  fc.assert(
    fc.property(anyCase, ([archive, turn]) => {
      const { messages } = packWindow(archive, turn, 10_000_000);
      const stored = new Set(archive.map(({ message }) => message));
      const made = messages.filter((message) => !stored.has(message));
      expect(made.every(({ content }) => content === 'No result was recorded for this call.')).toBe(
        true,
      );
    }),
  );
});
