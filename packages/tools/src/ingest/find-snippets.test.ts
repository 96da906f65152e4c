import { expect, test } from 'vitest';
import { findSnippets } from './find-snippets.ts';

const filler = (n: number) => `Paragraph ${n} speaks of common things, as all of them do.`;
const paragraphs = Array.from({ length: 100 }, (_, n) => filler(n));
paragraphs[10] = 'A rare heron stands in common water.';
paragraphs[50] = 'Common herons and a rare bird.';
paragraphs[80] = 'Only common things, common common common.';
const text = `# Birds\n\n${paragraphs.slice(0, 40).join('\n\n')}\n\n## More\n\n${paragraphs.slice(40).join('\n\n')}`;

test('rare words count more than common ones, and neighbours are shown with their place', () => {
  const found = findSnippets(text, 'heron common', 150) ?? '';
  expect(found).toContain('A rare heron');
  expect(found).not.toContain('Only common');
  expect(found).toContain(filler(9));
  expect(found).toContain(filler(11));
  const place = /^\[characters (\d+)-(\d+) of (\d+), under "Birds"\]\n/.exec(found);
  expect(Number(place?.[3])).toBe(text.length);
  const part = text.slice(Number(place?.[1]), Number(place?.[2]));
  expect(found).toBe(`${place?.[0]}${part}`);
});

test('parts stand in the order of the text, each within its section', () => {
  const found = findSnippets(text, 'heron', 1_000) ?? '';
  expect(found.indexOf('A rare heron')).toBeLessThan(found.indexOf('Common herons'));
  expect(found).toMatch(/under "More"\]\n[^[]*Common herons/);
});

test('a phrase as it stands comes first', () => {
  const said = 'one two\n\ntwo one two one\n\nnone';
  expect(findSnippets(said, 'two one', 15)).toContain('two one two one');
});

test('what does not occur is not found, and words are whole or beginnings', () => {
  expect(findSnippets(text, 'eron zebra', 1_000)).toBeNull();
  expect(findSnippets(text, '?!', 1_000)).toBeNull();
  expect(findSnippets('', 'heron', 1_000)).toBeNull();
  expect(findSnippets('Ein Bächlein', 'bäch', 1_000)).toContain('Bächlein');
});

test('one endless line is found in parts, within the bound', () => {
  const line = `${'blah '.repeat(100_000)}heron ${'blah '.repeat(100_000)}`;
  const found = findSnippets(line, 'heron', 3_000) ?? '';
  expect(found).toContain('heron');
  expect(found.length).toBeLessThan(3_200);
});

test('millions of short lines are no trouble', () => {
  expect(findSnippets(`${'a\n'.repeat(2_000_000)}heron`, 'heron', 3_000)).toContain('heron');
});
