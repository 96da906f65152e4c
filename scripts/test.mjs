// Runs every suite that can run here. Arguments go to vitest: `npm test -- path/to/file`.
// `--faults` runs the fault suite at its full counts.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { components } from './components.mjs';
import { setUp } from './setup.mjs';
import { summariseResults } from './test-summary.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2).filter((argument) => argument !== '--faults');
const isFaultRun = process.argv.includes('--faults');

await setUp();

const required = (process.env.LOOM_REQUIRE ?? '').split(',').filter((name) => name !== '');
const missing = components.filter((component) => !component.isThere());
const without = missing.flatMap(({ projects }) => projects.map((name) => `--project=!${name}`));

const directory = mkdtempSync(join(tmpdir(), 'loom-test-results-'));
const resultFile = join(directory, 'results.json');
const vitest = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resultFile}`,
    ...without,
    ...args,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(isFaultRun ? { LOOM_FAULTS: 'full' } : {}) },
  },
);
// Ctrl-C reaches vitest by itself; what it was told otherwise is passed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => vitest.kill('SIGTERM'));
const code = await new Promise((resolve) => vitest.on('close', resolve));

const summary = summariseResults({ results: readResults(), code, missing, required, root });
rmSync(directory, { recursive: true, force: true });
for (const line of summary.lines) console.log(line);
process.exitCode = summary.failed === 0 ? 0 : 1;

function readResults() {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch {
    return null;
  }
}
