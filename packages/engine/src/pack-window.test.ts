import type { ChatMessage } from '@loom/shared/chat';
import { describe, expect, test } from 'vitest';
import { packWindow } from './pack-window.ts';
import type { PackableMessage } from './window-blocks.ts';
import { roomOf } from './window-cuts.ts';

const plenty = 1_000_000;
const missing = 'No result was recorded for this call.';

/** Numbers messages from 1; each counts two tokens besides its overhead of eight. */
function archive(...lines: [turn: string | null, message: ChatMessage][]): PackableMessage[] {
  return lines.map(([turn_id, message], at) => ({
    number: at + 1,
    turn_id,
    token_count: 2,
    message,
  }));
}

const user = (content: string): ChatMessage => ({ role: 'user', content });
const says = (content: string, ...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content,
  ...(ids.length > 0
    ? { tool_calls: ids.map((id) => ({ id, name: 'read_file', arguments: {} })) }
    : {}),
});
const result = (id: string, content: string): ChatMessage => ({
  role: 'tool',
  content,
  tool_call_id: id,
  tool_name: 'read_file',
});
const texts = (window: { messages: ChatMessage[] }) =>
  window.messages.map(({ content }) => content);

describe('order', () => {
  test('an earlier turn stays whole before this one, whatever queued up while it ran', () => {
    const stored = archive(
      ['a', user('a?')],
      ['b', user('b?')],
      ['c', user('c?')],
      ['a', says('a!')],
    );
    expect(texts(packWindow(stored, 'b', plenty))).toEqual(['a?', 'a!', 'b?']);
    expect(packWindow(stored, 'b', plenty).omitted).toBe(0);
    expect(texts(packWindow(stored, 'a', plenty))).toEqual(['a?', 'a!']);
  });

  test('messages of no turn stand where the first of them stands', () => {
    const stored = archive([null, user('before')], ['a', user('a?')]);
    expect(texts(packWindow(stored, 'a', plenty))).toEqual(['before', 'a?']);
  });

  test('an empty archive gives an empty window', () => {
    expect(packWindow([], 'a', plenty)).toEqual({
      messages: [],
      earlier: 0,
      omitted: 0,
      tokens: 0,
    });
  });
});

describe('budget', () => {
  const stored = archive(
    ['a', user('a?')],
    ['a', says('', 'x', 'y')],
    ['a', result('x', 'X')],
    ['a', result('y', 'Y')],
    ['a', says('a!')],
    ['b', user('b?')],
  );

  test('the newest messages that fit are kept, and the rest is counted', () => {
    const window = packWindow(stored, 'b', 20);
    expect(texts(window)).toEqual(['a!', 'b?']);
    expect(window.omitted).toBe(4);
  });

  test('a call is kept with all of its results or not at all', () => {
    expect(texts(packWindow(stored, 'b', 49))).toEqual(['a!', 'b?']);
    expect(texts(packWindow(stored, 'b', 50))).toEqual(['', 'X', 'Y', 'a!', 'b?']);
    expect(texts(packWindow(stored, 'b', 60))).toEqual(['a?', '', 'X', 'Y', 'a!', 'b?']);
  });

  test('a turn that alone is too much keeps its question and its newest exchange, cut to fit', () => {
    const long = (text: string) => text.repeat(1_000);
    const messages: [string, ChatMessage][] = [
      ['a', user(`first ${long('q')}`)],
      ['a', says('', 'x')],
      ['a', result('x', long('old '))],
      ['a', says('', 'y')],
      ['a', result('y', `${long('new ')}end`)],
    ];
    const own = messages.map(([turn_id, message], at) => ({
      number: at + 1,
      turn_id,
      token_count: roomOf(message) - 8,
      message,
    }));
    const window = packWindow(own, 'a', 400);
    expect(window.messages.reduce((sum, message) => sum + roomOf(message), 0)).toBeLessThanOrEqual(
      400,
    );
    const [question, ...rest] = texts(window);
    expect(question).toMatch(/^first q+/);
    expect(rest.at(-1)).toMatch(/^new new [\s\S]*conversation_recall shows them[\s\S]*new end$/);
    // In between there is room for what was called, but not for what came of it.
    expect(texts(packWindow(own, 'a', 1_700))).toContain(
      '[left out here; conversation_recall shows it]',
    );
  });

  test('a result that has to be made up needs room too', () => {
    const open = archive(['a', user('a?')], ['a', says('', 'x')], ['b', user('b?')]);
    // Ten for each message, and eighteen for the missing result.
    expect(texts(packWindow(open, 'b', 37))).toEqual(['b?']);
    expect(texts(packWindow(open, 'b', 38))).toEqual(['', missing, 'b?']);
  });
});

describe('tool results', () => {
  test('stand right behind their call, in the order of the calls', () => {
    const stored = archive(
      ['a', says('', 'x', 'y')],
      ['a', result('y', 'Y')],
      ['a', user('meanwhile')],
      ['a', result('x', 'X')],
    );
    expect(texts(packWindow(stored, 'a', plenty))).toEqual(['', 'X', 'Y', 'meanwhile']);
  });

  test('a call without one gets one that says so, and one without a call is left out', () => {
    const stored = archive(['a', result('lost', 'L')], ['a', says('', 'x')]);
    const window = packWindow(stored, 'a', plenty);
    expect(window.messages).toEqual([
      says('', 'x'),
      { role: 'tool', content: missing, tool_call_id: 'x', tool_name: 'read_file' },
    ]);
    expect(window.omitted).toBe(1);
  });

  test('two calls with one id in one message each keep their own', () => {
    const stored = archive(
      ['a', says('', 'x', 'x')],
      ['a', result('x', 'first')],
      ['a', result('x', 'second')],
    );
    expect(texts(packWindow(stored, 'a', plenty))).toEqual(['', 'first', 'second']);
  });

  test('an id that a later message uses again does not take the earlier result away', () => {
    const stored = archive(
      ['a', says('1', 'x')],
      ['a', result('x', 'first')],
      ['a', says('2', 'x')],
      ['a', result('x', 'second')],
      ['a', says('3', 'x')],
    );
    expect(texts(packWindow(stored, 'a', plenty))).toEqual([
      '1',
      'first',
      '2',
      'second',
      '3',
      missing,
    ]);
  });
});

test('of a long archive only what may fit is looked at', () => {
  let looked = 0;
  const stored = Array.from(
    { length: 100_000 },
    (_, at): PackableMessage => ({
      number: at + 1,
      turn_id: `turn_${Math.floor(at / 10)}`,
      token_count: 10,
      get message() {
        looked += 1;
        return user('x');
      },
    }),
  );
  const { messages, omitted } = packWindow(stored, 'turn_9999', 32_000);
  expect(messages).toHaveLength(Math.floor(32_000 / 18));
  expect(omitted).toBe(100_000 - messages.length);
  expect(looked).toBeLessThan(messages.length * 10);
});
