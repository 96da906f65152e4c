import type { ChatMessage } from '@loom/shared/chat';
import { expect, it } from 'vitest';
import { coworkReply } from './cowork-reply.ts';

const all = new Set(['delegate_task', 'conversation_recall']);
const goal = 'Write a haiku about rain and a limerick about tea';

function reply(messages: ChatMessage[], tools: ReadonlySet<string> = all) {
  return coworkReply({ messages, prompt: '', tools });
}

function delegation(result: string): ChatMessage[] {
  const call = { id: 'demo-1', name: 'delegate_task', arguments: { goal } };
  return [
    { role: 'user', content: goal },
    { role: 'assistant', content: 'I will.', tool_calls: [call] },
    { role: 'tool', content: result, tool_call_id: 'demo-1' },
  ];
}

it('delegates work once, with the words of the user', () => {
  const { text, calls } = reply([{ role: 'user', content: goal }]);
  expect(text).toContain('2 pieces of work');
  expect(calls).toEqual([{ name: 'delegate_task', arguments: { goal } }]);
});

it('reports the result of the delegation, also behind a reminder', () => {
  const result = 'Task completed: "x"\n\nSubtasks:\n  [x] haiku: Write a haiku — Wrote it.';
  const reminder: ChatMessage = { role: 'user', content: '[System] Stay on the goal.' };
  const answer = reply([...delegation(result), reminder]);
  expect(answer.calls).toEqual([]);
  expect(answer.text).toContain('Done.');
});

it('starts again for the next request', () => {
  const next = reply([...delegation('done'), { role: 'user', content: 'Write a poem' }]);
  expect(next.calls).toHaveLength(1);
});

it('says plainly what it is and what to try', () => {
  const { text, calls } = reply([{ role: 'user', content: 'Hello' }]);
  expect(calls).toEqual([]);
  expect(text).toContain('not an AI');
  expect(text).toContain(goal);
});

it.each([
  ['What did I say about the blue door?', 'the blue door'],
  ['Do you remember the password rule?', 'the password rule'],
  ['recall tea', 'tea'],
])('recalls: %s', (content, query) => {
  expect(reply([{ role: 'user', content }]).calls).toEqual([
    { name: 'conversation_recall', arguments: { action: 'search', query } },
  ]);
});

it('calls only what is offered', () => {
  expect(reply([{ role: 'user', content: goal }], new Set()).calls).toEqual([]);
  expect(reply([{ role: 'user', content: 'recall tea' }], new Set()).calls).toEqual([]);
});
