import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { describe, expect, test } from 'vitest';
import { turnIntent } from './turn-intent.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const said = (content: string): ChatMessage => ({ role: 'assistant', content });
const called = (...names: string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map((name, at): ToolCall => ({ id: `${name}${at}`, name, arguments: {} })),
});
const result: ChatMessage = { role: 'tool', content: 'ok', tool_call_id: 'x' };

describe('what is wanted', () => {
  test('is what the user said last', () => {
    const messages = [
      user('Read the file a.md for me'),
      said('Done.'),
      user('Now fetch the page x.org'),
    ];
    expect(turnIntent(messages).text).toBe('Now fetch the page x.org');
  });

  test('a short answer means what was asked for before it', () => {
    const messages = [user('Rename a.md to b.md'), said('Shall I?'), user('yes')];
    expect(turnIntent(messages)).toMatchObject({
      text: 'Rename a.md to b.md\nyes',
      small_talk: false,
    });
  });

  test('nothing is wanted where nothing was said', () => {
    expect(turnIntent([])).toEqual({ text: '', recent: [], small_talk: false });
  });
});

describe('tools used lately', () => {
  test('are each named once, newest first, by what was really run, without the core', () => {
    const wrapped: ToolCall = {
      id: 'w',
      name: 'run_tool',
      arguments: { name: 'crm__find', arguments: {} },
    };
    const messages = [
      user('a'),
      called('git_command', 'read_file'),
      result,
      called('ask_user', 'list_tools', 'git_command'),
      { ...said(''), tool_calls: [wrapped] },
    ];
    expect(turnIntent(messages).recent).toEqual(['crm__find', 'git_command', 'read_file']);
  });

  test('are at most six', () => {
    const messages = Array.from({ length: 20 }, (_, n) => called(`t__${n}`));
    expect(turnIntent(messages).recent).toHaveLength(6);
    expect(turnIntent(messages).recent[0]).toBe('t__19');
  });
});

describe('small talk', () => {
  test('is what it is after an answer, and at the beginning', () => {
    expect(turnIntent([user('hi')]).small_talk).toBe(true);
    const messages = [user('Fix it'), called('edit_file'), result, said('Done.'), user('Thanks!')];
    expect(turnIntent(messages).small_talk).toBe(true);
  });

  test('in the middle of work does not end the work', () => {
    expect(
      turnIntent([user('Fix it'), called('edit_file'), result, user('Thanks!')]).small_talk,
    ).toBe(false);
    expect(turnIntent([user('Fix it'), called('edit_file'), user('Thanks!')]).small_talk).toBe(
      false,
    );
  });

  test('that led to work is none; looking something up is no work', () => {
    expect(turnIntent([user('hi'), called('read_file'), result]).small_talk).toBe(false);
    expect(turnIntent([user('hi'), called('conversation_recall'), result]).small_talk).toBe(true);
  });
});
