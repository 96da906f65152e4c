import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { describe, expect, test } from 'vitest';
import type { BreakerStep } from './breaker-notes.ts';
import { judgeReply } from './judge-reply.ts';

const user: ChatMessage = { role: 'user', content: 'Go' };
const call: ToolCall = { id: 'c1', name: 'read_file', arguments: { path: 'a' } };
const round: ChatMessage[] = [
  { role: 'assistant', content: '', tool_calls: [call] },
  { role: 'tool', content: 'text', tool_call_id: 'c1', tool_name: 'read_file' },
];
const text = (words: string) => ({ text: words, tool_calls: [] });

function noteIn(step: BreakerStep | null): ChatMessage {
  if (step?.kind !== 'note') throw new Error('no note');
  return step.message;
}

test('an answer and a call are taken as they are', () => {
  expect(judgeReply([user], text('Done.'), 'hybrid')).toBeNull();
  expect(judgeReply([user], { text: '', tool_calls: [call] }, 'hybrid')).toBeNull();
  expect(judgeReply([user], { text: 'Let me check.', tool_calls: [call] }, 'hybrid')).toBeNull();
});

describe('an empty answer', () => {
  test.each(['', ' \n\t', '\u200b\u2060', '\u0000'])('%j is asked for once more', (words) => {
    const note = noteIn(judgeReply([user], text(words), 'full'));
    expect(note).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^Empty answer notice: /),
    });
  });

  test('is given up the second time, in the words of what was done', () => {
    const note = noteIn(judgeReply([user], text(''), 'hybrid'));
    const nothing = judgeReply([user, note], text(''), 'hybrid');
    expect(nothing).toMatchObject({
      kind: 'close',
      text: expect.stringContaining('No tool was called'),
    });
    const worked = judgeReply([user, note, ...round, ...round], text(' '), 'hybrid');
    expect(worked).toMatchObject({ kind: 'close', text: expect.stringContaining('read_file (2)') });
    expect(judgeReply([user, note], text('Here.'), 'hybrid')).toBeNull();
  });

  test('the fallback is not empty itself, and short after hundreds of calls', () => {
    const note = noteIn(judgeReply([user], text(''), 'hybrid'));
    const tool_calls = Array.from({ length: 300 }, (_, n) => ({ ...call, name: `tool${n}` }));
    const step = judgeReply(
      [user, note, { role: 'assistant', content: '', tool_calls }],
      text(''),
      'hybrid',
    );
    const given = step?.kind === 'close' ? step.text : '';
    expect(given.length).toBeGreaterThan(50);
    expect(given.length).toBeLessThan(500);
  });
});

describe('an announcement', () => {
  const stall = text('Let me check the file.');

  test('gets one note a turn, then it stands', () => {
    const note = noteIn(judgeReply([user], stall, 'hybrid'));
    expect(note).toMatchObject({
      role: 'system',
      content: expect.stringMatching(/^Stall notice: /),
    });
    const stored: ChatMessage = { role: 'assistant', content: stall.text };
    expect(judgeReply([user, stored, note], stall, 'hybrid')).toBeNull();
    expect(judgeReply([user, stored, note, ...round], stall, 'hybrid')).toBeNull();
  });

  test('stands in the other modes', () => {
    expect(judgeReply([user], stall, 'full')).toBeNull();
    expect(judgeReply([user], stall, 'adaptive')).toBeNull();
  });

  test('its note and that of an empty answer are counted apart', () => {
    const note = noteIn(judgeReply([user], stall, 'hybrid'));
    expect(judgeReply([user, note], text(''), 'hybrid')).toMatchObject({ kind: 'note' });
  });
});

test('the third of the same rounds is still run; the fourth is not', () => {
  const reply = { text: '', tool_calls: [call] };
  const hint: ChatMessage = { role: 'system', content: 'Loop notice: worded differently.' };
  expect(judgeReply([user, ...round, ...round], reply, 'full')).toBeNull();
  expect(judgeReply([user, ...round, ...round, ...round, hint], reply, 'full')).toMatchObject({
    kind: 'close',
  });
});
