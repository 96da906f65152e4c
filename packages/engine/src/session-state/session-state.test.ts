import type { ChatMessage } from '@loom/shared/chat';
import { emptySessionState } from '@loom/shared/session-state';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findConstraints } from './find-constraints.ts';
import { foldSessionState, type NumberedMessage } from './fold-session-state.ts';
import { renderSessionState } from './render-session-state.ts';

const numbered = (messages: ChatMessage[]): NumberedMessage[] =>
  messages.map((message, index) => ({ number: index + 1, message }));
const user = (content: string): ChatMessage => ({ role: 'user', content });
const calls = (
  ...made: [id: string, name: string, args: Record<string, string>][]
): ChatMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: made.map(([id, name, args]) => ({ id, name, arguments: args })),
});
const result = (id: string, content = 'done', failed = false): ChatMessage => ({
  role: 'tool',
  content,
  tool_call_id: id,
  ...(failed ? { failed } : {}),
});
const stateOf = (...messages: ChatMessage[]) =>
  foldSessionState(emptySessionState, numbered(messages));

describe('the state of a session', () => {
  it('knows the files that calls really touched, the newest last', () => {
    const state = stateOf(
      calls(['1', 'write_file', { path: 'a.md' }], ['2', 'edit_file', { path: 'b.md' }]),
      result('1'),
      result('2', 'no match', true),
      calls(['3', 'read_file', { path: 'c.md' }], ['4', 'read_file', { path: 'a.md' }]),
      result('3'),
      result('4'),
    );
    expect(state.files).toEqual([
      { path: 'c.md', action: 'read', number: 5 },
      { path: 'a.md', action: 'written', number: 6 },
    ]);
  });

  it('keeps twenty files, ten decisions and five resolved errors', () => {
    const many = Array.from({ length: 30 }, (_, index) => [
      calls(
        [`w${index}`, 'write_file', { path: `f${index}` }],
        [`d${index}`, 'record_decision', { decision: `decision ${index}` }],
        [`e${index}`, 'shell_execute', { command: `run ${index}` }],
      ),
      result(`w${index}`),
      result(`d${index}`, 'Noted.'),
      result(`e${index}`, 'exit code 1', true),
      calls([`s${index}`, 'shell_execute', { command: `run ${index}` }]),
      result(`s${index}`, 'exit code 0'),
    ]).flat();
    const state = stateOf(...many);
    expect(state.files.map(({ path }) => path)).toEqual(
      Array.from({ length: 20 }, (_, index) => `f${index + 10}`),
    );
    expect(state.decisions.map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, index) => `decision ${index + 20}`),
    );
    expect(state.errors_resolved).toHaveLength(5);
    expect(state.errors_resolved.at(-1)).toMatchObject({ target: 'run 29', error: 'exit code 1' });
    expect(state.open_errors).toEqual([]);
  });

  it('looks at the first line of what the user said last', () => {
    const state = stateOf(user('old'), user(`\n${'x'.repeat(120)}\nmore`));
    expect(state.focus).toHaveLength(100);
    expect(state.focus.startsWith('xxx')).toBe(true);
  });

  it('pins what must always or never be done, each once', () => {
    const state = stateOf(
      user('Never touch the database. What is next?'),
      user('never touch the database.\nAlways write tests first!'),
    );
    expect(state.constraints).toEqual([
      { text: 'never touch the database.', number: 2 },
      { text: 'Always write tests first!', number: 2 },
    ]);
  });

  it('is the same whether it is folded at once or bit by bit', () => {
    const message = fc.oneof(
      fc.string().map(user),
      fc.constantFrom('never do it', 'always do it').map(user),
      fc
        .array(fc.tuple(fc.constantFrom('1', '2'), fc.constantFrom('write_file', 'shell_execute')))
        .map((made) =>
          calls(
            ...made.map(([id, name]): [string, string, Record<string, string>] => [
              id,
              name,
              { path: `p${id}` },
            ]),
          ),
        ),
      fc.tuple(fc.constantFrom('1', '2'), fc.boolean()).map(([id, bad]) => result(id, 'r', bad)),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), fc.nat(40), (messages, cut) => {
        const all = numbered(messages);
        const part = foldSessionState(emptySessionState, all.slice(0, cut));
        expect(foldSessionState(part, all)).toEqual(foldSessionState(emptySessionState, all));
      }),
    );
  });
});

describe('as YAML', () => {
  it('is nothing while there is nothing to tell', () => {
    expect(renderSessionState(emptySessionState)).toBeNull();
  });

  it('tells focus, decisions, files and what was resolved', () => {
    const state = stateOf(
      user('make: "it" work'),
      calls(
        ['1', 'write_file', { path: 'a: b.md' }],
        ['2', 'record_decision', { decision: 'use tabs' }],
      ),
      result('1'),
      result('2'),
    );
    expect(renderSessionState(state)).toBe(
      [
        'current_focus: "make: \\"it\\" work"',
        'decisions:',
        '  - "use tabs" # message 4',
        'files_touched:',
        '  - "a: b.md" # written',
      ].join('\n'),
    );
  });

  it('stays within its bound', () => {
    const long = Array.from({ length: 40 }, (_, index) => [
      calls([`${index}`, 'write_file', { path: `${'p'.repeat(190)}${index}` }]),
      result(`${index}`),
    ]).flat();
    const text = renderSessionState(stateOf(user('x'.repeat(500)), ...long)) ?? '';
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text).toContain('39');
  });
});

test.each([
  'Never deploy on Fridays.',
  'Please always use British spelling.',
  'You must not edit the lock file.',
  'From now on, answer in German.',
  'Bitte niemals die Datenbank löschen.',
  'Antworte immer auf Deutsch.',
  'Make sure you never commit secrets.',
])('"%s" is a constraint', (sentence) => {
  expect(findConstraints(`Hello. ${sentence} Thanks`)).toEqual([sentence]);
});

test.each([
  'Do you always answer like that?',
  'Never mind.',
  'I have never seen this error.',
  'It always fails on the second run.',
  'Fix the login page.',
  '```\nnever ends\n```',
  '> always quoted',
])('"%s" is none', (text) => {
  expect(findConstraints(text)).toEqual([]);
});
