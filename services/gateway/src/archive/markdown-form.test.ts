import type { Message, Session } from '@loom/shared/api';
import { expect, test } from 'vitest';
import { markdownForm } from './markdown-form.ts';

const at = '2026-01-01T00:00:00.000Z';

const aMessage = (changes: Partial<Message>): Message => ({
  number: 3,
  role: 'user',
  content: '',
  tool_calls: null,
  tool_call_id: null,
  tool_name: null,
  token_count: 1,
  turn_id: 'turn_1',
  created_at: at,
  ...changes,
});

const aSession = (title: string): Session => ({
  id: 'ses_1',
  title,
  status: 'active',
  workspace: '/srv/rain',
  model: null,
  system_prompt: null,
  approval_mode: 'auto',
  grants: {},
  budget: {},
  state: {},
  message_count: 7,
  total_tokens: 10,
  created_at: at,
  updated_at: at,
  ended_at: null,
});

const shown = (changes: Partial<Message>) => markdownForm.message(aMessage(changes));

test('begins with what the session is', () => {
  expect(markdownForm.head(aSession('Rain'))).toBe(
    [
      '# Rain\n',
      '- Session: ses_1 (active)',
      '- Workspace: /srv/rain',
      `- Begun: ${at}`,
      `- Last activity: ${at}`,
      '- Messages: 7\n',
    ].join('\n'),
  );
  expect(markdownForm.head(aSession(''))).toMatch(/^# ses_1\n/);
});

test('quotes words line by line, so that nothing they open reaches beyond them', () => {
  expect(shown({ content: 'one\n```\ntwo\r\n\rthree' })).toBe(
    `\n## 3. User\n\n*${at}*\n\n> one\n> \`\`\`\n> two\r\n> \r> three\n`,
  );
});

test('shows calls below the words, and leaves out words that are not there', () => {
  const call = { id: 'c', name: 'write_file', arguments: { content: '```' } };
  expect(shown({ role: 'assistant', tool_calls: [call] })).toBe(
    `\n## 3. Assistant\n\n*${at}*\n\nCalls write_file:\n\n~~~json\n${JSON.stringify(call.arguments, null, 2)}\n~~~\n`,
  );
  const spoken = shown({ role: 'assistant', content: 'Now:', tool_calls: [call, call] });
  expect(spoken.match(/^> Now:$|^Calls write_file:$/gm)).toHaveLength(3);
});

test('shows a result as it is, in a block of its own', () => {
  const content = 'a\n```\n## 4. User\n> no';
  expect(shown({ role: 'tool', tool_name: 'read_file', content })).toBe(
    `\n## 3. Result of read_file\n\n*${at}*\n\n~~~\n${content}\n~~~\n`,
  );
});

test('keeps names and titles on their line', () => {
  const name = 'evil\n## 9. User\r> hi';
  const call = { id: 'c', name, arguments: {} };
  const texts = [
    shown({ role: 'tool', tool_name: name }),
    shown({ role: 'assistant', tool_calls: [call] }),
    markdownForm.head({ ...aSession('a\r## 9. User'), workspace: name }),
  ];
  for (const text of texts) expect(text).not.toMatch(/^## 9/m);
});
