import { constants } from 'node:os';
import { execa } from 'execa';
import { createBoundedCapture } from './bounded-capture.ts';

/** How long output is awaited from a process that outlived its group's end. */
const drainMs = 2_000;

interface ProcessRun {
  /** 128 + signal when a signal ended it; null when it could not be started. */
  exit_code: number | null;
  output: string;
  error_output: string;
  stopped_by: 'timeout' | 'caller' | null;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

function toExitCode(result: { exitCode?: number; signal?: string }): number | null {
  if (result.exitCode !== undefined) return result.exitCode;
  if (result.signal === undefined) return null;
  return 128 + (constants.signals[result.signal as NodeJS.Signals] ?? 0);
}

/** Runs a program as the head of its own process group, all of which ends with it. */
export async function runProcessGroup(run: {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  timeout_ms: number;
  signal: AbortSignal;
  max_output_bytes: number;
}): Promise<ProcessRun> {
  run.signal.throwIfAborted();
  const child = execa(run.file, run.args, {
    cwd: run.cwd,
    env: run.env,
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    detached: true,
    reject: false,
  });
  const output = createBoundedCapture(run.max_output_bytes);
  const errors = createBoundedCapture(4_096);
  child.stdout.on('data', output.push);
  child.stderr.on('data', errors.push);

  let stoppedBy: ProcessRun['stopped_by'] = null;
  const stop = (by: 'timeout' | 'caller') => {
    stoppedBy ??= by;
    killGroup(child.pid);
  };
  const onAbort = () => stop('caller');
  const timer = setTimeout(() => stop('timeout'), run.timeout_ms);
  run.signal.addEventListener('abort', onAbort, { once: true });
  let drain: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    clearTimeout(timer);
    // What the program left running in the background ends here.
    killGroup(child.pid);
    drain = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, drainMs);
  });
  try {
    const result = await child;
    return {
      exit_code: toExitCode(result),
      output: output.text(),
      error_output: errors.text() || (result.cause instanceof Error ? result.cause.message : ''),
      stopped_by: stoppedBy,
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(drain);
    run.signal.removeEventListener('abort', onAbort);
  }
}
