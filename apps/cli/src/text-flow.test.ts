import { describe, expect, it } from 'vitest';
import { createTextFlow } from './text-flow.ts';

describe('createTextFlow', () => {
  it('writes pieces as they come and nothing more when the message is stored', () => {
    const flow = createTextFlow();
    expect(flow.piece({ call: 1, offset: 0, text: 'Hel' })).toBe('Hel');
    expect(flow.piece({ call: 1, offset: 3, text: 'lo' })).toBe('lo');
    expect(flow.message('Hello')).toBe('');
  });

  it('writes the overlap of a snapshot once', () => {
    const flow = createTextFlow();
    flow.piece({ call: 1, offset: 0, text: 'Hel' });
    expect(flow.piece({ call: 1, offset: 0, text: 'Hello wo' })).toBe('lo wo');
    expect(flow.piece({ call: 1, offset: 2, text: 'llo' })).toBe('');
  });

  it('leaves a gap to the stored message', () => {
    const flow = createTextFlow();
    flow.piece({ call: 1, offset: 0, text: 'He' });
    expect(flow.piece({ call: 1, offset: 4, text: 'o' })).toBe('');
    expect(flow.message('Hello')).toBe('llo');
    const late = createTextFlow();
    expect(late.piece({ call: 1, offset: 4, text: 'o' })).toBe('');
    expect(late.message('Hello')).toBe('Hello');
  });

  it('begins a new line when a call is tried again, and forgets the abandoned one', () => {
    const flow = createTextFlow();
    flow.piece({ call: 1, offset: 0, text: 'Wrong' });
    expect(flow.piece({ call: 2, offset: 0, text: 'Right' })).toBe('\nRight');
    expect(flow.piece({ call: 1, offset: 5, text: ' more' })).toBe('');
    expect(flow.message('Right!')).toBe('!');
  });

  it('ignores pieces that arrive after their message', () => {
    const flow = createTextFlow();
    flow.piece({ call: 1, offset: 0, text: 'Hel' });
    expect(flow.message('Hello')).toBe('lo');
    expect(flow.piece({ call: 1, offset: 3, text: 'lo' })).toBe('');
    expect(flow.piece({ call: 2, offset: 0, text: 'Next' })).toBe('Next');
  });

  it('ignores them also when none came before', () => {
    const flow = createTextFlow();
    expect(flow.message('Hello')).toBe('Hello');
    expect(flow.piece({ call: 1, offset: 0, text: 'Hel' })).toBe('');
    expect(flow.piece({ call: 1, offset: 3, text: 'lo' })).toBe('');
    expect(flow.piece({ call: 2, offset: 0, text: 'Next' })).toBe('Next');
  });
});
