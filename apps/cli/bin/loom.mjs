#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/cli.js', import.meta.url);

if (!existsSync(program)) {
  const { ensureBuilt, ensureInstalled } = await import('../../../scripts/setup.mjs');
  await ensureInstalled();
  await ensureBuilt();
}

await import(program.href);
