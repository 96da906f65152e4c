import { emptyCourse } from '@loom/shared/task-course';
import type { LedgerEntry } from '@loom/shared/work';
import { describe, expect, it } from 'vitest';
import { noteCalls, noteFiles } from './note-calls.ts';

const entry = (fields: Partial<LedgerEntry>): LedgerEntry => ({
  key: 'u/0/0',
  tool: 'write_file',
  effect: 'effectful',
  arguments: { path: 'a.md' },
  status: 'done',
  result: '',
  exit_code: null,
  changes: [],
  ...fields,
});
const discovery = (fields: Partial<LedgerEntry> = {}) =>
  entry({ tool: 'record_discovery', arguments: { summary: 'there is a v2' }, ...fields });

describe('noteCalls', () => {
  it('leaves the course as it is when there is nothing that all should know', () => {
    const calls = [entry({}), entry({ status: 'intent' }), discovery({ status: 'failed' })];
    expect(noteCalls(emptyCourse, 'a', calls)).toBe(emptyCourse);
    expect(noteCalls(emptyCourse, null, [discovery()])).toBe(emptyCourse);
  });

  it('keeps a discovery the moment it is made', () => {
    const { discoveries } = noteCalls(emptyCourse, 'a', [discovery(), discovery()]);
    expect(discoveries).toEqual([{ subtask_id: 'a', summary: 'there is a v2' }]);
  });

  it.each([
    ['a path', { path: 'a.md', content: 'x' }, 'a.md'],
    ['a command’s first line', { command: 'curl x\nrm y' }, 'curl x'],
    ['an address', { url: 'https://x' }, 'https://x'],
    ['all of it', { to: 'x', cc: [] }, '{"to":"x","cc":[]}'],
    ['a beginning', { command: 'y'.repeat(300) }, `${'y'.repeat(199)}…`],
  ])('shows a call in doubt by %s', (_, input, shown) => {
    const doubtful = entry({ tool: 'send', status: 'in_doubt', arguments: input });
    expect(noteCalls(emptyCourse, 'a', [doubtful]).in_doubt).toEqual([
      { key: 'u/0/0', subtask_id: 'a', tool: 'send', shown },
    ]);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 70 }, (_, index) =>
      entry({ key: `${index}`, status: 'in_doubt' }),
    );
    const { in_doubt } = noteCalls(emptyCourse, 'a', many);
    expect(in_doubt).toHaveLength(50);
    expect(in_doubt.at(-1)?.key).toBe('69');
  });
});

describe('noteFiles', () => {
  const changed = (...paths: string[]) =>
    entry({ status: 'failed', changes: paths.map((path) => ({ path, after: null })) });

  it('adds what calls changed, each once and in order, also when they failed', () => {
    expect(noteFiles(['b'], [changed('c', 'a'), changed('b')])).toEqual(['a', 'b', 'c']);
  });

  it('leaves what is known as it is', () => {
    const known = ['a', 'b'];
    expect(noteFiles(known, [changed('b'), entry({})])).toBe(known);
  });
});
