import { emptySessionState } from '@loom/shared/session-state';
import { expect, test } from 'vitest';
import { coworkNotes, coworkNotesId } from './cowork-notes.ts';

const nothing = {
  state: emptySessionState,
  delegations: [],
  omitted: 0,
  index: [],
  refers_back: false,
  more: [],
};

test('nothing to say is nothing said', () => {
  expect(coworkNotesId).toBe('cowork-notes/1');
  expect(coworkNotes(nothing)).toBeNull();
});

test('everything there is', () => {
  const notes = coworkNotes({
    state: {
      ...emptySessionState,
      focus: 'ship it',
      constraints: [{ text: 'Never push to main.', number: 3 }],
      decisions: [{ text: 'use tabs', number: 5 }],
    },
    delegations: [
      { task_id: 'task_1', goal: 'migrate\nall', status: 'running', done: 2, subtasks: 5 },
    ],
    omitted: 40,
    index: [{ number: 1, line: 'hello' }],
    refers_back: true,
    more: ['Todos: none', null],
  });
  expect(notes?.role).toBe('system');
  expect(notes?.content).toMatchInlineSnapshot(`
    "The user said, and it holds until the user takes it back:
    - Never push to main. (message 3)

    Delegated and not finished; do not delegate the same again:
    - task_1 (running, 2 of 5 subtasks done): migrate

    Todos: none

    State of this conversation:
    current_focus: "ship it"
    decisions:
      - "use tabs" # message 5

    40 earlier messages are not shown here. They are in the archive, word for word: use conversation_recall. Among them the user said:
    - message 1: hello

    The user refers to something earlier. If it is not in view, look it up with conversation_recall before you answer."
  `);
});

test('the index of the archive stays short, however much there is', () => {
  const index = Array.from({ length: 5_000 }, (_, at) => ({ number: at, line: 'x'.repeat(200) }));
  const { content = '' } = coworkNotes({ ...nothing, omitted: 5_000, index }) ?? {};
  expect(content.length).toBeLessThanOrEqual(1_200);
  expect(content).toContain('message 0');
});

test('a hint is given only when something is left out', () => {
  expect(coworkNotes({ ...nothing, refers_back: true })).toBeNull();
  expect(coworkNotes({ ...nothing, refers_back: true, omitted: 1 })?.content).toContain(
    'The user refers to something earlier',
  );
});
