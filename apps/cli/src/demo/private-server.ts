import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from '../command-failure.ts';

/** Embedded Postgres has to be unpacked and initialised on a slow machine too. */
const readyMs = 120_000;
const stopMs = 20_000;

export interface PrivateServer {
  base_url: string;
  stop(): Promise<void>;
}

/** Starts `loom up` with an environment of its own; resolves once it says that it is ready. */
export async function startPrivateServer(options: {
  env: Record<string, string | undefined>;
  cwd: string;
}): Promise<PrivateServer> {
  // Relative to this program's own file, which is apps/cli/dist/cli.js once bundled.
  const loom = fileURLToPath(new URL('../bin/loom.mjs', import.meta.url));
  const child = spawn(process.execPath, [loom, 'up'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C is for the demo alone, which then stops its server in order.
    detached: true,
  });
  try {
    return { base_url: await whenReady(child), stop: () => stopChild(child) };
  } catch (error) {
    await stopChild(child);
    throw error;
  }
}

function whenReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const give = (reason: string) =>
      reject(new CommandFailure(`The demo's server ${reason}.\n${said.slice(-2_000).trimEnd()}`));
    const timer = setTimeout(() => give('did not become ready'), readyMs);
    const hear = (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-20_000);
      const url = /^loom: ready (http\S+)\s*$/m.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', (error) => give(`could not be started: ${error.message}`));
    child.once('exit', () => {
      clearTimeout(timer);
      give('ended before it was ready');
    });
  });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exited;
  clearTimeout(timer);
}
