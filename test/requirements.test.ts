import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requirements } from './requirements.ts';

const proofs = Object.entries(requirements).flatMap(([id, tests]) =>
  tests.map(([file, words]) => [id, file, words] as const),
);

test.each(proofs)('%s is proved in %s by "%s"', (_id, file, words) => {
  expect(readFileSync(file, 'utf8')).toContain(words);
});
