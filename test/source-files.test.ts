import { expect, test } from 'vitest';
import { readImports } from './source-files.ts';

test('finds every way to name a module', () => {
  const text = [
    "import pg from 'pg';",
    "import type { A } from '@loom/a/b';",
    'import {',
    '  one,',
    '  two,',
    "} from './numbers.ts';",
    "import './effects.ts';",
    "export type { C } from 'c';",
    "export * from 'd';",
    "const e = await import('e');",
    "const f = require.resolve('f');",
    "type G = import('g').G;",
    "const text = 'not from anywhere';",
  ].join('\n');
  expect(readImports(text).sort()).toEqual(
    ['pg', '@loom/a/b', './numbers.ts', './effects.ts', 'c', 'd', 'e', 'f', 'g'].sort(),
  );
});
