import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeSandbox } from './probe-sandbox.ts';

let empty: string;
let broken: string;

beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'loom-no-bwrap-'));
  broken = await mkdtemp(join(tmpdir(), 'loom-bad-bwrap-'));
  const program = '#!/bin/sh\necho "bwrap: no user namespaces" >&2\nexit 1\n';
  await writeFile(join(broken, 'bwrap'), program, { mode: 0o755 });
});
afterAll(() => Promise.all([empty, broken].map((path) => rm(path, { recursive: true }))));

test('bubblewrap is the one on the search path, or none', async () => {
  expect(await probeSandbox(empty)).toEqual({
    works: false,
    reason: 'bubblewrap (bwrap) is not installed',
  });
  expect(await probeSandbox([empty, broken, '/usr/bin'].join(delimiter))).toEqual({
    works: false,
    reason: 'bubblewrap 0.8 or newer does not work here: no user namespaces',
  });
});
