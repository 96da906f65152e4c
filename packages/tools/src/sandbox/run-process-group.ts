import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBoundedCapture } from './bounded-capture.ts';
import { killMarked } from './kill-marked.ts';

/** How long output is awaited from a process that outlived its group's end. */
const drainMs = 2_000;
/** How long a program may take to notice that its first child was killed. */
const leaderGraceMs = 500;
const firstInput = 4;

type StoppedBy = 'timeout' | 'caller' | 'limit';

interface ProcessRun {
  /** 128 + signal when a signal ended it; null when it could not be started. */
  exit_code: number | null;
  output: string;
  error_output: string;
  stopped_by: StoppedBy | null;
}

interface ProcessRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  timeout_ms: number;
  signal: AbortSignal;
  max_output_bytes: number;
  /** What the program reads from its descriptors 4, 5, and so on. */
  inputs?: readonly string[];
  /** Found in the environment of everything that must end with the program, its group or not. */
  mark?: string;
  /** Hears the output as it is printed, in whole characters. */
  onOutput?: (text: string) => void;
  /**
   * Hears what the program writes to descriptor 3 and gives the process with which everything
   * ends. That is killed first: the program's own end then shows that nothing is left.
   */
  onStatus?: (text: string, exceeded: () => void) => number | null;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function toExitCode(code: number | null, signal: NodeJS.Signals | null): number | null {
  return signal === null ? code : 128 + (constants.signals[signal] ?? 0);
}

function giveInputs(child: ChildProcess, inputs: readonly string[]): void {
  for (const [index, input] of inputs.entries()) {
    const stream = child.stdio[firstInput + index] as Writable;
    // A program that ends early does not read it all.
    stream.on('error', () => {});
    stream.end(input);
  }
}

function captureOutput(child: ChildProcess, run: ProcessRequest) {
  const output = createBoundedCapture(run.max_output_bytes);
  const errors = createBoundedCapture(4_096);
  const decoder = new StringDecoder('utf8');
  child.stdout?.on('data', (chunk: Buffer) => {
    output.push(chunk);
    const text = run.onOutput && decoder.write(chunk);
    if (text) run.onOutput?.(text);
  });
  child.stderr?.on('data', errors.push);
  return { output, errors };
}

/** Runs a program as the head of its own process group, all of which ends with it. */
export async function runProcessGroup(run: ProcessRequest): Promise<ProcessRun> {
  run.signal.throwIfAborted();
  const { file, args, cwd, env, inputs = [] } = run;
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...inputs.map(() => 'pipe' as const)],
    detached: true,
  });
  const { output, errors } = captureOutput(child, run);
  giveInputs(child, inputs);

  let leader: number | null = null;
  let stoppedBy: StoppedBy | null = null;
  let grace: NodeJS.Timeout | undefined;
  let drain: NodeJS.Timeout | undefined;
  const killGroup = () => {
    if (child.pid !== undefined) kill(-child.pid);
    if (run.mark !== undefined) killMarked(run.mark);
  };
  const stop = (by: StoppedBy) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    stoppedBy ??= by;
    if (run.onStatus === undefined) return killGroup();
    // Killed before it names its leader, the program could leave it behind.
    if (leader !== null) kill(leader);
    grace ??= setTimeout(killGroup, leaderGraceMs);
  };
  const status = child.stdio[3] as Readable;
  status.on('error', () => {});
  status.on('data', (chunk: Buffer) => {
    leader ??= run.onStatus?.(chunk.toString(), () => stop('limit')) ?? null;
    if (stoppedBy !== null) stop(stoppedBy);
  });
  const onAbort = () => stop('caller');
  const timer = setTimeout(() => stop('timeout'), run.timeout_ms);
  run.signal.addEventListener('abort', onAbort, { once: true });
  child.once('exit', () => {
    clearTimeout(timer);
    // What the program left running in the background ends here.
    killGroup();
    drain = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
    }, drainMs);
  });
  try {
    const exit_code = await new Promise<number | null>((resolve) => {
      child.once('error', (error) => {
        errors.push(Buffer.from(error.message));
        if (child.pid === undefined) resolve(null);
      });
      child.once('close', (code, signal) => resolve(toExitCode(code, signal)));
    });
    return {
      exit_code,
      output: output.text(),
      error_output: errors.text(),
      stopped_by: stoppedBy,
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    clearTimeout(drain);
    run.signal.removeEventListener('abort', onAbort);
  }
}
