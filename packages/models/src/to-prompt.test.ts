import type { ChatMessage } from '@loom/shared/chat';
import { describe, expect, it } from 'vitest';
import { toAnthropicPrompt } from './to-anthropic-prompt.ts';
import { toPrompt } from './to-prompt.ts';

const conversation: ChatMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Go' },
  {
    role: 'assistant',
    content: 'Two calls.',
    tool_calls: [
      { id: 'f.g:0', name: 'read_file', arguments: { path: 'a' } },
      { id: 'b', name: 'bad name!', arguments: '{"broken' },
    ],
  },
  { role: 'tool', content: 'A', tool_call_id: 'f.g:0' },
  { role: 'tool', content: '', tool_call_id: 'b', tool_name: 'bad name!' },
  { role: 'system', content: 'Reminder.' },
];

describe('toPrompt', () => {
  it('keeps text and calls together, and the results of one reply', () => {
    expect(toPrompt(conversation)).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Two calls.' },
          { type: 'tool-call', toolCallId: 'f.g:0', toolName: 'read_file', input: { path: 'a' } },
          {
            type: 'tool-call',
            toolCallId: 'b',
            toolName: 'bad_name_',
            input: { invalid_arguments: '{"broken' },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'f.g:0',
            toolName: 'read_file',
            output: { type: 'text', value: 'A' },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'bad_name_',
            output: { type: 'text', value: '' },
          },
        ],
      },
      { role: 'system', content: 'Reminder.' },
    ]);
  });

  it('drops an assistant message that says nothing', () => {
    expect(toPrompt([{ role: 'assistant', content: '' }])).toEqual([]);
  });
});

describe('toAnthropicPrompt', () => {
  it('has system text only at the start and plain, matching ids', () => {
    const prompt = toAnthropicPrompt(conversation);
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(prompt[4]?.content).toEqual([{ type: 'text', text: '[System] Reminder.' }]);
    expect(JSON.stringify(prompt).match(/f_g_0/g)).toHaveLength(2);
    expect(prompt[0]).toMatchObject({
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    });
  });

  it('starts with a user message and never sends empty text', () => {
    const prompt = toAnthropicPrompt([
      { role: 'system', content: ' ' },
      { role: 'assistant', content: 'Earlier.' },
      { role: 'user', content: '  ' },
    ]);
    expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(prompt[2]?.content).toEqual([{ type: 'text', text: '(empty)' }]);
  });

  it('makes a conversation of system text alone askable', () => {
    const prompt = toAnthropicPrompt([{ role: 'system', content: 'Plan.' }]);
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  });
});
