import { expect, it } from 'vitest';
import { readBlock, readFiles, readPaths } from './read-block.ts';

const prompt = `Do it.
GOAL:
Write a poem.
The END GOAL is near.
END GOAL

DELIVERABLES:
- a.md
- dir/b c.json

INPUTS:
END`;

it('reads a block up to its own end line', () => {
  expect(readBlock(prompt, 'GOAL')).toBe('Write a poem.\nThe END GOAL is near.');
  expect(readBlock(prompt, 'SUBTASK')).toBeNull();
  expect(readBlock('SUBTASK: write-x\nWrite x.\nEND SUBTASK', 'SUBTASK')).toBe('Write x.');
  expect(readBlock('GOAL: Write x.\nEND GOAL', 'GOAL')).toBe('Write x.');
});

it('reads the listed paths', () => {
  expect(readPaths(prompt, 'DELIVERABLES')).toEqual(['a.md', 'dir/b c.json']);
  expect(readPaths(prompt, 'INPUTS')).toEqual([]);
  expect(readPaths(prompt, 'OUTPUTS')).toEqual([]);
});

it('reads every shown file, empty ones too', () => {
  const files = readFiles('FILE: a.md\n# A\n\ntext\nEND FILE\nFILE: b.md\nEND FILE\n');
  expect(files).toEqual([
    { path: 'a.md', content: '# A\n\ntext\n' },
    { path: 'b.md', content: '' },
  ]);
});
