import { describe, expect, it } from 'vitest';
import { ignoredNames } from './ignored-names.ts';

describe('ignoredNames', () => {
  it('reads plain names, everywhere or only here', () => {
    const { here, below } = ignoredNames('# comment\ndist/\n/build\r\n.venv  \n\n/out/\n');
    expect([...here]).toEqual(['build', 'out']);
    expect([...below]).toEqual(['dist', '.venv']);
  });

  it('leaves alone what it does not understand fully', () => {
    const { here, below } = ignoredNames('*.log\na/b\nlo[g]s\ntmp*/\n\\#x\n**/deep\n');
    expect([...here, ...below]).toEqual([]);
  });

  it('does not count what is taken back', () => {
    expect(ignoredNames('dist/\nlogs/\n!dist/keep.txt\n').below).toEqual(new Set(['logs']));
  });
});
