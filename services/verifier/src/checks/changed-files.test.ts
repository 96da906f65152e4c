import { expect, it } from 'vitest';
import { seenFile, workspaceWith } from '../test-support/subject-fixtures.ts';
import { checkNotEmpty, findChangedFiles } from './changed-files.ts';

it('looks at what still exists and passes over what was deleted', async () => {
  const workspace = await workspaceWith({ 'a.txt': 'a' });
  const files = await findChangedFiles(['gone.txt', 'a.txt'], workspace);
  expect(files.map(({ path }) => path)).toEqual(['a.txt']);
  expect(await findChangedFiles(['a.txt'], null)).toEqual([]);
});

it('fails an empty file, unless its name alone means something', async () => {
  expect(checkNotEmpty(await seenFile('a.txt', ''))).toMatchObject({
    name: 'file_not_empty',
    target: 'a.txt',
    passed: false,
    advisory: false,
    detail: expect.stringMatching(/is empty/),
  });
  expect(checkNotEmpty(await seenFile('a.txt', 'a')).passed).toBe(true);
  expect(checkNotEmpty(await seenFile('pkg/__init__.py', '')).passed).toBe(true);
});
