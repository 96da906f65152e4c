import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFileEnd } from './file-end.ts';
import { type LoomProcess, startService } from './processes.ts';

// Stands in for the product: answers with its pid, arguments and configuration.
const fakeProgram = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
if (process.env.BROKEN) { console.error('cannot work: ' + process.env.BROKEN); process.exit(3); }
const config = readFileSync(process.env.LOOM_CONFIG, 'utf8');
const server = createServer((request, response) =>
  response.end(JSON.stringify({ pid: process.pid, args: process.argv.slice(2), config })));
server.listen(Number(process.env.LOOM_PORT ?? process.env.LOOM_HEALTH_PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
`;

let directory: string;
let program: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loom-fake-'));
  program = join(directory, 'fake.mjs');
  await writeFile(program, fakeProgram);
});
afterAll(() => rm(directory, { recursive: true }));

const ask = async (service: LoomProcess) => (await fetch(service.url)).json();

it('starts a role with its configuration, and ends it gently', async () => {
  const runner = await startService('runner', { program, config: '[server]\n' });
  expect(await ask(runner)).toEqual({
    pid: runner.pid,
    args: ['serve', 'runner'],
    config: '[server]\n',
  });
  expect(await runner.stop()).toEqual({ code: 0, signal: null });
  expect(runner.isRunning).toBe(false);
});

it('is killed and comes back at the same address', async () => {
  const up = await startService('up', { program });
  const { pid } = await ask(up);
  up.kill();
  expect(await up.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await up.restart();
  expect((await ask(up)).pid).not.toBe(pid);
  expect((await ask(up)).args).toEqual(['up']);
  up.kill('SIGSTOP');
  expect(await up.stop()).toEqual({ code: 0, signal: null });
});

it('shows what a process said that did not become ready', async () => {
  const starting = startService('gateway', { program, env: { BROKEN: 'no database' } });
  await expect(starting).rejects.toThrow(/ended with {"code":3[\s\S]*cannot work: no database/);
});

it('kills and names a process that a test forgot', async () => {
  const forgotten = await startService('planner', { program });
  const errors = await runFileEnd();
  expect(errors.map(String).join()).toContain('loom planner was left running');
  expect(forgotten.isRunning).toBe(false);
});
