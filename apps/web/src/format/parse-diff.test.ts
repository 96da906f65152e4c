import { expect, it } from 'vitest';
import { parseDiff } from './parse-diff.ts';

it('numbers lines before and after, and leaves the head out', () => {
  const diff = [
    'diff --git a/x b/x',
    'index 123..456 100644',
    '--- a/x',
    '+++ b/x',
    '@@ -3,3 +3,3 @@ here',
    ' kept',
    '--- was a rule',
    '+++ is one',
    ' end',
    '\\ No newline at end of file',
    '',
  ].join('\n');
  expect(
    parseDiff(diff).map(({ kind, text, before, after }) => [kind, text, before, after]),
  ).toEqual([
    ['hunk', '@@ -3,3 +3,3 @@ here', null, null],
    ['same', 'kept', 3, 3],
    ['removed', '-- was a rule', 4, null],
    ['added', '++ is one', null, 4],
    ['same', 'end', 5, 5],
    ['note', 'No newline at end of file', null, null],
  ]);
});

it('says what a diff without lines says', () => {
  const lines = parseDiff('diff --git a/x b/x\nnew file mode 100644\nBinary files differ\n');
  expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
    ['note', 'new file mode 100644'],
    ['note', 'Binary files differ'],
  ]);
});
