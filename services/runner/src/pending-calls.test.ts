import type { ChatMessage } from '@loom/shared/chat';
import { expect, test } from 'vitest';
import { pendingCalls } from './pending-calls.ts';

const says = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, name: 'read_file', arguments: {} })),
});
const result = (id: string): ChatMessage => ({ role: 'tool', content: 'ok', tool_call_id: id });
const user: ChatMessage = { role: 'user', content: 'hi' };
const keys = (...messages: ChatMessage[]) =>
  pendingCalls(
    'u',
    messages.map((message, at) => ({ place: at + 10, message })),
  ).map(({ call, key }) => `${call.id} ${key}`);

test('nothing is pending before the first reply, and after one of text alone', () => {
  expect(keys()).toEqual([]);
  expect(keys(user)).toEqual([]);
  expect(keys(user, { role: 'assistant', content: 'done' })).toEqual([]);
});

test('every call is pending under the key of its place until it is answered', () => {
  expect(keys(user, says('a', 'b'))).toEqual(['a u/11/0', 'b u/11/1']);
  expect(keys(user, says('a', 'b'), result('b'))).toEqual(['a u/11/0']);
  expect(keys(user, says('a', 'b'), result('b'), result('a'))).toEqual([]);
});

test('only the last reply counts', () => {
  expect(keys(says('lost'), says('a'))).toEqual(['a u/11/0']);
});

test('an answer to an earlier call of the same id answers nothing later', () => {
  expect(keys(says('a'), result('a'), says('a'))).toEqual(['a u/12/0']);
});
