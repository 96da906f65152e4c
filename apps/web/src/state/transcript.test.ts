import type { Message } from '@loom/shared/api';
import { describe, expect, it } from 'vitest';
import { type ConversationState, emptyConversation } from './conversation-state.ts';
import type { TaskView } from './task-view.ts';
import { layOutTranscript } from './transcript.ts';

function message(number: number, role: Message['role'], rest: Partial<Message> = {}): Message {
  return {
    number,
    role,
    content: `text ${number}`,
    tool_calls: null,
    tool_call_id: null,
    tool_name: null,
    token_count: 0,
    turn_id: 'turn_1',
    created_at: `2026-01-01T00:00:${String(number).padStart(2, '0')}.000Z`,
    ...rest,
  };
}

function delegation(number: number, goals: string[]): Message {
  const tool_calls = goals.map((goal, index) => ({
    id: `call_${number}_${index}`,
    name: 'delegate_task',
    arguments: { goal },
  }));
  return message(number, 'assistant', { content: '', tool_calls });
}

function task(id: string, goal: string, second: number, turn_id: string | null = 'turn_1') {
  const created_at = `2026-01-01T00:00:${String(second).padStart(2, '0')}.500Z`;
  return { id, goal, turn_id, created_at, status: 'running' } as TaskView;
}

function layOut(state: Partial<ConversationState>): string[] {
  return layOutTranscript({ ...emptyConversation, ...state }).map(({ key }) => key);
}

const running = { turn_1: { status: 'running', error: null } } as const;

describe('layOutTranscript', () => {
  it('puts each task at the call with its goal, in place of the call', () => {
    const tasks = { b: task('b', 'goal b', 2), a: task('a', 'goal a', 3) };
    const messages = [message(1, 'user'), delegation(2, ['goal a', 'goal b', 'refused'])];
    expect(layOut({ messages, tasks })).toEqual(['message-1', 'task-a', 'task-b', 'call-call_2_2']);
  });

  it('falls back to the order of calls when no goal is the same', () => {
    const tasks = { a: task('a', 'worded otherwise', 3) };
    expect(layOut({ messages: [delegation(2, ['goal'])], tasks })).toEqual(['task-a']);
  });

  it('puts a task from outside where it began, and hides one older than what is loaded', () => {
    const messages = [message(5, 'user'), message(6, 'assistant')];
    const tasks = { now: task('now', 'x', 5, null), old: task('old', 'y', 1, null) };
    expect(layOut({ messages, tasks })).toEqual(['message-5', 'task-now', 'message-6']);
  });

  it('keeps a queued message below the answer it waits for', () => {
    const messages = [
      message(1, 'user'),
      message(2, 'user', { turn_id: 'turn_2' }),
      message(3, 'assistant'),
    ];
    const turns = { ...running, turn_2: { status: 'queued', error: null } } as const;
    const items = layOutTranscript({ ...emptyConversation, messages, turns });
    expect(items.map(({ key }) => key)).toEqual([
      'message-1',
      'message-3',
      'thinking-turn_1',
      'message-2',
    ]);
    expect(items.at(-1)).toMatchObject({ kind: 'user', is_queued: true });
  });

  it('joins a tool result to its call and knows that a missing one will not come', () => {
    const calls = [
      { id: 'c1', name: 'read_file', arguments: { path: 'a' } },
      { id: 'c2', name: 'read_file', arguments: { path: 'b' } },
    ];
    const messages = [
      message(1, 'assistant', { tool_calls: calls }),
      message(2, 'tool', { tool_call_id: 'c1', tool_name: 'read_file' }),
    ];
    const turns = { turn_1: { status: 'cancelled', error: null } } as const;
    const items = layOutTranscript({ ...emptyConversation, messages, turns });
    expect(items.slice(1)).toMatchObject([
      { kind: 'tool', use: { result: { number: 2 } } },
      { kind: 'tool', use: { result: null, is_over: true } },
      { kind: 'notice', turn: { status: 'cancelled' } },
    ]);
  });

  it('shows live text once: not beside the stored message it became', () => {
    const messages = [message(1, 'user'), message(2, 'assistant')];
    const live = (text: string) => ({ live: { turn_id: 'turn_1', call: 1, text } });
    expect(layOut({ messages, turns: running, ...live('text') }).at(-1)).toBe('thinking-turn_1');
    expect(layOut({ messages, turns: running, ...live('more') }).at(-1)).toBe('live-turn_1');
  });

  it('turns ask_user into a question', () => {
    const tool_calls = [{ id: 'q', name: 'ask_user', arguments: { question: 'Which?' } }];
    const messages = [message(1, 'assistant', { content: '', tool_calls })];
    expect(layOutTranscript({ ...emptyConversation, messages })).toMatchObject([
      { kind: 'question' },
    ]);
  });
});
