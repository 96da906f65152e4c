import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { runCli } from '../run-cli.ts';

/** Runs a command line, unless told otherwise without a terminal, and gives back all it said. */
export async function runCaptured(
  args: string[],
  options: {
    env?: Record<string, string>;
    stdin?: string;
    signals?: EventEmitter;
    /** Someone sits in front of it. */
    tty?: boolean;
  } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: options.tty ?? false });
  // A data directory that is not there, so that no key of this machine is used.
  const env = { LOOM_DATA_DIR: '/nonexistent', ...options.env };
  const isTTY = options.tty ?? false;
  const stdin = Object.assign(Readable.from([options.stdin ?? '']), { isTTY });
  const signals = options.signals ?? new EventEmitter();
  const code = await runCli(args, { env, stdin, stdout, stderr, signals });
  return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
}

function textOf(stream: PassThrough): string {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
