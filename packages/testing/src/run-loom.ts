import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { testEnv } from './env.ts';
import { onFileEnd } from './file-end.ts';

const cli = fileURLToPath(new URL('../../../apps/cli/dist/cli.js', import.meta.url));

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A running command of the CLI. */
export interface LoomCommand {
  done: Promise<CommandResult>;
  /** What it has written to stderr so far. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface CommandOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** What it reads; nothing unless given. */
  input?: string;
}

/** Starts a command line of the built CLI, with pipes instead of a terminal. */
export function startLoom(args: string[], options: CommandOptions = {}): LoomCommand {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: options.cwd,
    env: { PATH: testEnv().path, HOME: testEnv().home, ...options.env },
    stdio: 'pipe',
  });
  onFileEnd(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return {
    done: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, ...written }));
    }),
    stderr: () => written.stderr,
    kill: (signal) => child.kill(signal),
  };
}
