import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';

/** A Redis of our own: it may be flushed, frozen and killed. */
export interface PrivateRedis {
  url: string;
  port: number;
  pid: number;
  /** Kills it; with its memory goes everything in it. */
  stop(): Promise<void>;
}

/** Starts `redis-server` without persistence on a free port, or returns null when there is none. */
export async function startPrivateRedis(
  options: { port?: number } = {},
): Promise<PrivateRedis | null> {
  const program = findProgram('redis-server');
  if (program === null) return null;
  const directory = await mkdtemp(join(tmpdir(), 'loom-redis-'));
  const port = options.port ?? (await freePort());
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: directory,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  };
  const child = spawn(
    program,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    exited.then(() => reject(new Error(`redis-server ended:\n${output.join('\n')}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line);
      if (line.includes('Ready to accept connections')) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
