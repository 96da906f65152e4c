import type { LiveMessage } from '@loom/shared/events';
import { describe, expect, it } from 'vitest';
import { createStitcher } from './stitch-deltas.ts';

const piece = (over: Partial<LiveMessage>): LiveMessage => ({
  kind: 'delta',
  session_id: 'ses_1',
  turn_id: 'turn_1',
  call: 1,
  offset: 0,
  text: '',
  ...over,
});

/** What a reader that appends every piece would show, call by call. */
function read(pieces: LiveMessage[]) {
  const stitcher = createStitcher();
  const sent = pieces.map((message) => stitcher.push(message));
  const text = new Map<number, string>();
  for (const { send } of sent) {
    if (send === null) continue;
    const known = text.get(send.call) ?? '';
    expect(send.offset).toBe(known.length);
    text.set(send.call, known + send.text);
  }
  return { text, wanted: sent.some(({ snapshot_wanted }) => snapshot_wanted), sent };
}

describe('live text of one reader', () => {
  it('passes on pieces that follow each other', () => {
    const { text, wanted } = read([
      piece({ text: 'Hel' }),
      piece({ offset: 3, text: 'lo' }),
      piece({ offset: 5, text: '!' }),
    ]);
    expect(text.get(1)).toBe('Hello!');
    expect(wanted).toBe(false);
  });

  it('gives a late joiner a snapshot, then only what it does not cover', () => {
    const { text, sent } = read([
      piece({ offset: 3, text: 'lo' }),
      piece({ kind: 'snapshot', text: 'Hello' }),
      piece({ offset: 3, text: 'lo' }),
      piece({ offset: 4, text: 'o wor' }),
    ]);
    expect(text.get(1)).toBe('Hello wor');
    expect(sent.map(({ send }) => send?.kind ?? null)).toEqual([null, 'snapshot', null, 'delta']);
    expect(sent[0]?.snapshot_wanted).toBe(true);
  });

  it('sends nothing across a gap, and the missing part once a snapshot came', () => {
    const { text, wanted } = read([
      piece({ text: 'abc' }),
      piece({ offset: 6, text: 'ghi' }),
      piece({ kind: 'snapshot', text: 'abcdefghi' }),
      piece({ offset: 9, text: 'j' }),
    ]);
    expect(text.get(1)).toBe('abcdefghij');
    expect(wanted).toBe(true);
  });

  it('is silent about an older call once a newer one began', () => {
    const { text } = read([
      piece({ text: 'old' }),
      piece({ call: 2, text: 'new' }),
      piece({ offset: 3, text: 'er' }),
      piece({ call: 2, offset: 3, text: 'er' }),
    ]);
    expect([...text]).toEqual([
      [1, 'old'],
      [2, 'newer'],
    ]);
  });

  it('keeps turns apart', () => {
    const { sent } = read([piece({ text: 'a' }), piece({ turn_id: 'turn_2', call: 2, text: 'b' })]);
    expect(sent.map(({ send }) => send?.text)).toEqual(['a', 'b']);
  });

  it('drops what comes after the whole message was sent', () => {
    const stitcher = createStitcher();
    stitcher.push(piece({ text: 'Hel' }));
    stitcher.finish('turn_1', 1);
    expect(stitcher.push(piece({ offset: 3, text: 'lo' })).send).toBeNull();
    const late = createStitcher();
    late.finish('turn_1', 1);
    expect(late.push(piece({ text: 'Hel' })).send).toBeNull();
    expect(late.push(piece({ call: 2, text: 'Next' })).send?.text).toBe('Next');
  });

  it('does not end a call for the message of an earlier one', () => {
    const stitcher = createStitcher();
    stitcher.push(piece({ call: 2, text: 'second' }));
    stitcher.finish('turn_1', 1);
    expect(stitcher.push(piece({ call: 2, offset: 6, text: '!' })).send?.text).toBe('!');
  });
});
