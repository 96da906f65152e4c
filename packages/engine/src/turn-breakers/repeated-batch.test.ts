import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeatedBatch } from './repeated-batch.ts';

let calls = 0;
const user: ChatMessage = { role: 'user', content: 'Go' };

function call(name: string, args: ToolCall['arguments'] = { path: 'a' }): ToolCall {
  calls += 1;
  return { id: `c${calls}`, name, arguments: args };
}

/** A reply with calls, and their results. */
function round(...tool_calls: ToolCall[]): ChatMessage[] {
  return [
    { role: 'assistant', content: '', tool_calls },
    ...tool_calls.map(({ id, name }): ChatMessage => {
      return { role: 'tool', content: `result ${id}`, tool_call_id: id, tool_name: name };
    }),
  ];
}

const rounds = (count: number) =>
  Array.from({ length: count }, () => round(call('read_file'))).flat();

function noteOf(turn: ChatMessage[]): ChatMessage {
  const step = repeatedBatch(turn);
  if (step?.kind !== 'note') throw new Error('no note');
  return step.message;
}

describe('rounds of the same calls', () => {
  test('two are nothing, three get one note, the fourth ends the turn', () => {
    expect(repeatedBatch([user, ...rounds(2)])).toBeNull();
    const three = [user, ...rounds(3)];
    const note = noteOf(three);
    expect(note).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^Loop notice: /),
    });
    expect(repeatedBatch([...three, note])).toBeNull();
    const fourth = round(call('read_file'));
    expect(repeatedBatch([...three, note, ...fourth.slice(0, 1)])).toMatchObject({ kind: 'close' });
  });

  test('a fourth that came without a note gets the note first', () => {
    expect(repeatedBatch([user, ...rounds(4)])).toMatchObject({ kind: 'note' });
  });

  test('order of calls, order of keys, ids and run_tool make no difference', () => {
    const a = () => call('read_file', { path: 'a', lines: { from: 1, to: 2 } });
    const b = () => call('glob_find', { pattern: '*' });
    const swapped = call('read_file', { lines: { to: 2, from: 1 }, path: 'a' });
    const wrapped = call('run_tool', { name: 'glob_find', arguments: { pattern: '*' } });
    const turn = [user, ...round(a(), b()), ...round(b(), swapped), ...round(a(), wrapped)];
    expect(repeatedBatch(turn)).toMatchObject({ kind: 'note' });
  });

  test.each([
    ['another argument', [call('read_file', { path: 'b' })]],
    ['another tool', [call('write_file')]],
    ['one more call', [call('read_file'), call('read_file')]],
    ['a number for a text', [call('read_file', { path: 1 })]],
  ])('%s makes a difference', (_, different) => {
    expect(repeatedBatch([user, ...rounds(2), ...round(...different)])).toBeNull();
    expect(repeatedBatch([user, ...rounds(2), ...round(...different), ...rounds(1)])).toBeNull();
  });

  test('pairs and objects of the same look differ', () => {
    const turn = [
      ...round(call('x', { a: { b: 1 } })),
      ...round(call('x', { a: [['b', 1]] })),
      ...round(call('x', { a: { b: 1 } })),
    ];
    expect(repeatedBatch(turn)).toBeNull();
  });

  test('what the user or the model says in between begins a new count', () => {
    expect(repeatedBatch([user, ...rounds(2), user, ...rounds(2)])).toBeNull();
    const said: ChatMessage = { role: 'assistant', content: 'Now the other way.' };
    expect(repeatedBatch([user, ...rounds(2), said, ...rounds(2)])).toBeNull();
  });

  test('there is one note a turn; a later loop ends at its fourth round', () => {
    const first = [user, ...rounds(3)];
    const turn = [...first, noteOf(first), ...round(call('glob_find')), ...rounds(3)];
    expect(repeatedBatch(turn)).toBeNull();
    expect(repeatedBatch([...turn, ...rounds(1)])).toMatchObject({ kind: 'close' });
  });

  test('what a user writes is no note', () => {
    const content = noteOf([user, ...rounds(3)]).content;
    const turn: ChatMessage[] = [{ role: 'user', content }, ...rounds(3)];
    expect(repeatedBatch(turn)).toMatchObject({ kind: 'note' });
  });
});

describe('the closing text', () => {
  test('says what was repeated and what is known', () => {
    const three = [user, ...rounds(3)];
    const last = `result c${calls}`;
    const turn = [...three, noteOf(three), ...round(call('read_file')).slice(0, 1)];
    const step = repeatedBatch(turn);
    expect(repeatedBatch(turn)).toEqual(step);
    const text = step?.kind === 'close' ? step.text : '';
    expect(text).toContain('the same step 4 times in a row');
    expect(text).toContain('- read_file {"path":"a"}');
    expect(text).toContain(`- read_file: ${last}`);
  });

  test('is short, whatever was called and came of it', () => {
    const huge = () =>
      round(
        ...Array.from({ length: 30 }, (_, n) => call(`t${n}`, { text: 'x'.repeat(9_000) })),
      ).map((one) => (one.role === 'tool' ? { ...one, content: 'y'.repeat(9_000) } : one));
    const three = [...huge(), ...huge(), ...huge()];
    const step = repeatedBatch([...three, noteOf(three), ...huge()]);
    const text = step?.kind === 'close' ? step.text : '';
    expect(text.length).toBeLessThan(3_500);
    expect(text).toContain('and 27 more');
  });
});

test('a model that only ever repeats itself is stopped after four rounds, wherever the process dies', () => {
  const args = fc.jsonValue() as fc.Arbitrary<ToolCall['arguments']>;
  const batch = fc.array(fc.tuple(fc.string(), args), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(batch, (batch) => {
      // The loop as its owner runs it; nothing is kept but the messages, so each step is a restart.
      let turn: ChatMessage[] = [user];
      let asked = 0;
      for (;;) {
        const before = repeatedBatch(turn);
        if (before?.kind === 'note') turn = [...turn, before.message];
        asked += 1;
        const replied = round(...batch.map(([name, given]) => call(name, given)));
        const step = repeatedBatch([...turn, ...replied.slice(0, 1)]);
        if (step?.kind === 'close') break;
        turn = [...turn, ...replied];
      }
      expect(asked).toBe(4);
      expect(turn.filter(({ role }) => role === 'system')).toHaveLength(1);
    }),
  );
});
