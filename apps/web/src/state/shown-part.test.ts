import type { Message } from '@loom/shared/api';
import { expect, it } from 'vitest';
import { emptyConversation } from './conversation-state.ts';
import { itemOfMessage, pastPart } from './shown-part.ts';
import type { TaskView } from './task-view.ts';
import { layOutTranscript } from './transcript.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

function message(number: number, role: Message['role'], rest: Partial<Message> = {}): Message {
  const base = { tool_calls: null, tool_call_id: null, tool_name: null, token_count: 0 };
  return {
    ...base,
    number,
    role,
    content: '',
    turn_id: 'turn_1',
    created_at: at(number),
    ...rest,
  };
}

it('shows nothing of the past that came later', () => {
  const task = (id: string, second: number) =>
    ({ id, goal: id, turn_id: null, created_at: at(second) }) as TaskView;
  const live = { turn_id: 'turn_9', call: 1, text: 'now' };
  const state = { ...emptyConversation, live, tasks: { a: task('a', 1), b: task('b', 9) } };
  const part = pastPart(state, [message(1, 'user'), message(2, 'assistant', { content: 'x' })]);
  expect(layOutTranscript(part).map(({ key }) => key)).toEqual([
    'message-1',
    'task-a',
    'message-2',
  ]);
  expect(part.live).toBeNull();
});

it('finds what shows a message: a result is shown by its call, a delivery by itself', () => {
  const call = { id: 'c', name: 'read_file', arguments: {} };
  const items = layOutTranscript({
    ...emptyConversation,
    messages: [
      message(1, 'user'),
      message(2, 'assistant', { tool_calls: [call] }),
      message(3, 'tool', { tool_call_id: 'c', content: 'found' }),
      message(4, 'system', { turn_id: null, content: 'Task completed' }),
    ],
  });
  expect([1, 2, 3, 4, 5, null].map((number) => itemOfMessage(items, number))).toEqual([
    'message-1',
    'call-c',
    'call-c',
    'message-4',
    null,
    null,
  ]);
});
