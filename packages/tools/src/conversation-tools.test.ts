import { describe, expect, it } from 'vitest';
import { conversationToolSpecs } from './conversation-tools.ts';
import { parseArguments } from './parse-arguments.ts';
import { toToolSpec } from './tool-spec.ts';

const { conversation_recall, delegate_task, ask_user } = conversationToolSpecs;

describe('conversation tools', () => {
  it('fill in what the contract leaves optional', () => {
    expect(parseArguments(conversation_recall, { action: 'search', query: 'x' })).toEqual({
      ok: true,
      input: { action: 'search', query: 'x', limit: 10 },
    });
    expect(parseArguments(delegate_task, { goal: 'x', context: { files: ['a'] } })).toEqual({
      ok: true,
      input: { goal: 'x', context: { files: ['a'] }, wait: true },
    });
    expect(parseArguments(ask_user, { question: 'Which?', options: ['a', 'b'] }).ok).toBe(true);
  });

  it.each([
    [{ action: 'search' }, '"query": is needed for search'],
    [{ action: 'range', end_turn: 3 }, '"start_turn": is needed for range'],
    [{ action: 'range', start_turn: 3, end_turn: 2 }, '"end_turn": must not be smaller'],
    [{ action: 'forget' }, '"action": '],
  ])('recall refuses %j', (args, words) => {
    const parsed = parseArguments(conversation_recall, args);
    expect(parsed).toMatchObject({ ok: false, result: { error_code: 'invalid_arguments' } });
    expect(parsed.ok ? '' : parsed.result.text).toContain(words);
  });

  it.each([[{}], [{ goal: '' }], [{ goal: 'x', context: 'text' }], [{ goal: 'x', wait: 'no' }]])(
    'delegate refuses %j',
    (args) => {
      expect(parseArguments(delegate_task, args).ok).toBe(false);
    },
  );

  it('can be told to a model', () => {
    for (const tool of Object.values(conversationToolSpecs)) {
      expect(toToolSpec(tool).input_schema).toMatchObject({ type: 'object' });
    }
    expect(toToolSpec(delegate_task).input_schema).toMatchObject({ required: ['goal'] });
  });
});
