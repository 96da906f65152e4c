import type { Message, Task, Turn } from '@loom/shared/api';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../http/stream-event.ts';
import { activeTurnId, emptyConversation, reduceConversation } from './conversation-state.ts';

const at = '2026-01-01T00:00:00.000Z';

function event(type: string, rest: Partial<StreamEvent> = {}): StreamEvent {
  return { type, at, data: {}, ...rest };
}

function fold(events: StreamEvent[], from = emptyConversation) {
  return events.reduce(
    (state, one) => reduceConversation(state, { kind: 'event', event: one }),
    from,
  );
}

function appended(number: number, role: Message['role'], content: string, more = {}) {
  return event('message.appended', {
    turn_id: 'turn_1',
    data: { number, role, content, turn_id: 'turn_1', ...more },
  });
}

function delta(offset: number, text: string, call = 1) {
  return event('message.delta', { turn_id: 'turn_1', data: { call, offset, text } });
}

const task = {
  id: 'task_1',
  goal: 'two notes',
  status: 'running',
  turn_id: 'turn_1',
  created_at: at,
  subtasks: [
    { id: 'a', status: 'pending', attempts: [] },
    { id: 'b', status: 'pending', attempts: [] },
  ],
} as unknown as Task;

describe('messages', () => {
  it('keeps them by number, once each, whatever the order of arrival', () => {
    const state = fold([
      appended(2, 'assistant', 'two'),
      appended(1, 'user', 'one'),
      appended(2, 'assistant', 'two'),
    ]);
    expect(state.messages.map(({ number, content }) => [number, content])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  });

  it('never lets a cut event replace a whole message, and lets the whole one replace the cut', () => {
    const cut = fold([appended(1, 'tool', 'lon', { truncated: true })]);
    expect(cut.messages[0]?.content).toBe('lon');
    const whole = { ...cut.messages[0], content: 'long' } as Message;
    const loaded = reduceConversation(cut, { kind: 'messages_loaded', messages: [whole] });
    const again = fold([appended(1, 'tool', 'lon', { truncated: true })], loaded);
    expect(again.messages[0]?.content).toBe('long');
  });

  it('ignores an event without a message', () => {
    expect(fold([event('message.appended')])).toEqual(emptyConversation);
  });

  it('shows a sent message at once and does not undo what the stream said first', () => {
    const streamed = fold([
      appended(1, 'user', 'hello'),
      event('turn.started', { turn_id: 'turn_1' }),
    ]);
    const accept = { kind: 'turn_accepted', turn_id: 'turn_1', message_number: 1 } as const;
    const after = reduceConversation(streamed, { ...accept, content: 'hello', at });
    expect(after.messages).toHaveLength(1);
    expect(after.turns.turn_1?.status).toBe('running');
    const before = reduceConversation(emptyConversation, { ...accept, content: 'hello', at });
    expect(before.messages[0]?.content).toBe('hello');
    expect(activeTurnId(before)).toBe('turn_1');
  });
});

describe('live text', () => {
  it('joins pieces, takes a repeat once and drops one that leaves a gap', () => {
    expect(fold([delta(0, 'ab'), delta(2, 'cd'), delta(2, 'cd')]).live?.text).toBe('abcd');
    expect(fold([delta(0, 'ab'), delta(5, 'zz')]).live?.text).toBe('ab');
    expect(fold([delta(3, 'zz')]).live).toBeNull();
  });

  it('begins again with a later call and forgets an earlier one', () => {
    const state = fold([delta(0, 'first', 1), delta(0, 'second', 2), delta(5, '!', 1)]);
    expect(state.live).toEqual({ turn_id: 'turn_1', call: 2, text: 'second' });
  });

  it('forgets the words of an abandoned try when the next one begins', () => {
    const fresh = event('message.snapshot', {
      turn_id: 'turn_1',
      data: { call: 2, offset: 0, text: '' },
    });
    expect(fold([delta(0, 'first', 1), fresh]).live?.text).toBe('');
  });

  it('takes a snapshot as the whole text so far', () => {
    const snapshot = event('message.snapshot', {
      turn_id: 'turn_1',
      data: { call: 1, offset: 0, text: 'all of it' },
    });
    expect(fold([snapshot, delta(9, '!')]).live?.text).toBe('all of it!');
  });

  it('gives way to the stored message and to the end of the turn', () => {
    expect(fold([delta(0, 'hi'), appended(2, 'assistant', 'hi there')]).live).toBeNull();
    const ended = fold([delta(0, 'hi'), event('turn.cancelled', { turn_id: 'turn_1' })]);
    expect(ended.live).toBeNull();
    expect(fold([delta(0, 'late')], ended).live).toBeNull();
  });
});

it('remembers which tool call of a turn failed', () => {
  const failed = event('tool.error', { turn_id: 'turn_1', data: { call_id: 'c1' } });
  expect(fold([failed]).failed_calls).toEqual({ c1: true });
});

describe('turns', () => {
  it('knows the first that is not over', () => {
    const state = fold([
      appended(1, 'user', 'one'),
      appended(2, 'user', 'two', { turn_id: 'turn_2' }),
      event('turn.started', { turn_id: 'turn_1' }),
      event('turn.queued', { turn_id: 'turn_2' }),
    ]);
    expect(activeTurnId(state)).toBe('turn_1');
    const next = fold([event('turn.completed', { turn_id: 'turn_1' })], state);
    expect(activeTurnId(next)).toBe('turn_2');
  });

  it('keeps the reason of a failure', () => {
    const failed = event('turn.failed', {
      turn_id: 'turn_1',
      data: { error: { code: 'model_unavailable', message: 'no model answers' } },
    });
    expect(fold([failed]).turns.turn_1).toEqual({ status: 'failed', error: 'no model answers' });
  });
});

describe('tasks', () => {
  const loaded = reduceConversation(emptyConversation, { kind: 'task_loaded', task });

  it('shows a status as soon as its event arrives', () => {
    const state = fold(
      [
        event('subtask.started', { task_id: 'task_1', subtask_id: 'a' }),
        event('verification.started', { task_id: 'task_1', subtask_id: 'b' }),
        event('subtask.unheard_of', { task_id: 'task_1', subtask_id: 'b' }),
      ],
      loaded,
    );
    const statuses = state.tasks.task_1?.subtasks?.map(({ status }) => status);
    expect(statuses).toEqual(['running', 'verifying']);
  });

  it('says what a subtask did last, also when its arguments were cut', () => {
    const call = (args: string) =>
      event('tool.call', {
        task_id: 'task_1',
        subtask_id: 'a',
        data: { tool: 'write_file', arguments: args },
      });
    const state = fold([call('{"path":"a.md","content":""}')], loaded);
    expect(state.tasks.task_1?.activity.a).toBe('write_file a.md');
    expect(fold([call('{"path":"a…')], state).tasks.task_1?.activity.a).toBe('write_file');
    const printed = (text: string) =>
      event('tool.progress', {
        task_id: 'task_1',
        subtask_id: 'a',
        data: { tool: 'shell_execute', text },
      });
    const shown = fold([printed('one\ntwo\n'), printed('\n')], state).tasks.task_1?.activity.a;
    expect(shown).toBe('shell_execute: two');
  });

  it('is stopping from the request until the end', () => {
    const asked = fold([event('task.cancel_requested', { task_id: 'task_1' })], loaded);
    const read = reduceConversation(asked, { kind: 'task_loaded', task });
    expect(read.tasks.task_1?.is_stopping).toBe(true);
    const done = fold([event('task.cancelled', { task_id: 'task_1' })], read);
    expect(done.tasks.task_1).toMatchObject({ status: 'cancelled', is_stopping: false });
  });

  it('keeps the subtasks it has read when everything is loaded again', () => {
    const turn = { id: 'turn_1', status: 'awaiting_task', error: null } as Turn;
    const again = reduceConversation(loaded, {
      kind: 'loaded',
      messages: [],
      turns: [turn],
      tasks: [{ ...task, status: 'completed' }],
      approvals: [],
    });
    expect(again.tasks.task_1?.status).toBe('completed');
    expect(again.tasks.task_1?.subtasks).toHaveLength(2);
  });
});
