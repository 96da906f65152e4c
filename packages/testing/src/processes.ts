import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceRole } from '@loom/shared/queues';
import { testEnv } from './env.ts';
import { onFileEnd } from './file-end.ts';
import { freePort } from './free-port.ts';
import { awaitReady } from './processes/await-ready.ts';
import { OutputLog } from './processes/output-log.ts';

export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServiceOptions {
  env?: Record<string, string>;
  /** A temporary directory unless given. */
  cwd?: string;
  /** The text of its `loom.toml`. */
  config?: string;
  /** The program to run instead of the repository's built CLI. */
  program?: string;
  /** How long it may take to become ready. */
  readyTimeoutMs?: number;
  /** True: it leads a process group, as in a terminal, to which a test can send Ctrl-C. */
  ownGroup?: boolean;
}

/** A real process of the product. It keeps its address over restarts. */
export interface LoomProcess {
  name: ServiceRole | 'up';
  /** The gateway's address, or that of a worker's health port. */
  url: string;
  readonly pid: number;
  /** Settles when the running incarnation has ended. */
  readonly exited: Promise<ExitStatus>;
  readonly isRunning: boolean;
  /** Sends a signal, SIGKILL unless told otherwise. */
  kill(signal?: NodeJS.Signals): void;
  /** Asks it to end, by force if it takes longer than it may. */
  stop(timeoutMs?: number): Promise<ExitStatus>;
  /** Starts it again as it was, killing it first if it still runs; `env` adds to its variables. */
  restart(env?: Record<string, string>): Promise<void>;
  /** The last lines it wrote, of all incarnations. */
  output(): string;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const cli = join(repository, 'apps/cli/dist/cli.js');

/** Carried by every process of this test file and, unless it is taken away, by its children. */
export const processMarker = `LOOM_TEST_MARKER=${randomBytes(8).toString('hex')}`;

/** Starts `loom serve <role>` or `loom up` and waits until it is ready; a failure shows its output. */
export async function startService(
  name: ServiceRole | 'up',
  options: ServiceOptions = {},
): Promise<LoomProcess> {
  const program = options.program ?? cli;
  if (!existsSync(program)) throw new Error(`${program} is missing: run \`npm run build\` first`);
  const scratch = await mkdtemp(join(tmpdir(), `loom-${name}-`));
  const cwd = options.cwd ?? scratch;
  const configPath = join(scratch, 'loom.toml');
  await mkdir(cwd, { recursive: true });
  await writeFile(configPath, options.config ?? '');

  const port = await freePort();
  const hasGateway = name === 'up' || name === 'gateway';
  const [markerName = '', marker = ''] = processMarker.split('=');
  const env: Record<string, string> = {
    PATH: testEnv().path,
    HOME: testEnv().home,
    NODE_ENV: 'test',
    LOOM_CONFIG: configPath,
    LOOM_DATA_DIR: join(scratch, 'data'),
    [hasGateway ? 'LOOM_PORT' : 'LOOM_HEALTH_PORT']: String(port),
    [markerName]: marker,
    ...options.env,
  };
  const command = name === 'up' ? ['up'] : ['serve', name];
  const url = `http://127.0.0.1:${port}`;
  const log = new OutputLog();
  let child: ChildProcess;
  let exited: Promise<ExitStatus>;
  let isRunning = false;

  async function start(extraEnv: Record<string, string> = {}): Promise<void> {
    const started = spawn(process.execPath, [program, ...command], {
      cwd,
      env: { ...env, ...extraEnv },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: options.ownGroup ?? false,
    });
    child = started;
    isRunning = true;
    log.collect(started);
    exited = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        isRunning = false;
        resolve({ code, signal });
      });
    });
    try {
      await awaitReady({ url, exited, timeoutMs: options.readyTimeoutMs ?? 60_000 });
    } catch (error) {
      started.kill('SIGKILL');
      throw new Error(`loom ${name} did not become ready: ${error}\n${log.text()}`);
    }
  }

  onFileEnd(async () => {
    const leaked = isRunning;
    child.kill('SIGKILL');
    await exited;
    await rm(scratch, { recursive: true, force: true });
    if (leaked)
      throw new Error(`loom ${name} was left running; stop it in the test\n${log.text()}`);
  });
  await start();

  return {
    name,
    url,
    get pid() {
      return child.pid ?? 0;
    },
    get exited() {
      return exited;
    },
    get isRunning() {
      return isRunning;
    },
    kill(signal = 'SIGKILL') {
      child.kill(signal);
    },
    async stop(timeoutMs = 30_000) {
      child.kill('SIGTERM');
      // A stopped process would not see the signal before it is woken.
      child.kill('SIGCONT');
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      const status = await exited;
      clearTimeout(timer);
      return status;
    },
    async restart(extraEnv) {
      child.kill('SIGKILL');
      await exited;
      await start(extraEnv);
    },
    output: () => log.text(),
  };
}
