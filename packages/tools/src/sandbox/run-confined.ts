import { randomUUID } from 'node:crypto';
import { AppError } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import { hiddenInside } from '../confined/hidden-inside.ts';
import { bubblewrapArguments, type PlacedFile } from './bubblewrap-arguments.ts';
import { commandEnvironment } from './command-environment.ts';
import { defaultCommandLimits } from './command-limits.ts';
import { limitedCommand } from './limited-command.ts';
import { presentReadRoots } from './present-read-roots.ts';
import { requireCommandWorkspace } from './require-command-workspace.ts';
import { runProcessGroup } from './run-process-group.ts';
import { type ShellOptions, shellUnavailable } from './shell-options.ts';
import { watchTree } from './watch-tree.ts';

const timedOutExitCode = 124;

/** A program to run, and what it may reach. */
export interface ConfinedRequest {
  argv: readonly string[];
  workspace: string;
  /** Directories beside the workspace that the program may read. */
  read_roots?: readonly string[];
  timeout_ms: number;
  signal: AbortSignal;
  call_key: string;
  options: ShellOptions;
  network: boolean;
  env?: Record<string, string>;
  /** Files that only this program sees; without a sandbox there are none. */
  files?: readonly PlacedFile[];
  onOutput?: (text: string) => void;
}

export interface CommandResult {
  exit_code: number;
  output: string;
  timed_out: boolean;
  /** Which limit it exceeded and was killed for, in words; null when none. */
  exceeded: string | null;
}

function initProcess(status: string): number | null {
  const found = /"child-pid": (\d+)/.exec(status)?.[1];
  return found === undefined ? null : Number(found);
}

async function startArguments(request: ConfinedRequest, env: Record<string, string>) {
  const { options, workspace, timeout_ms } = request;
  const limits = options.limits ?? defaultCommandLimits;
  const isSandboxed = options.sandbox.works;
  // Without a sandbox nothing can be hidden: such a command sees all that this process sees, Loom's
  // own data too. That is part of what the operator allows with `allow_unsandboxed`.
  const hidden = await hiddenInside(workspace, options.hidden_paths);
  const files = request.files ?? [];
  const read_roots = await presentReadRoots(request.read_roots ?? []);
  const world = { workspace, hidden, read_roots, files, network: request.network, env };
  return [
    ...(isSandboxed ? [options.sandbox.program ?? 'bwrap', ...bubblewrapArguments(world)] : []),
    ...limitedCommand(request.argv, {
      ...limits,
      // More than one core may count; a single spinning thread meets the clock first.
      cpu_seconds: (timeout_ms / 1_000) * 4,
      // Outside its own user namespace a command would count all of the user's processes.
      count_processes: isSandboxed,
    }),
  ];
}

/**
 * Runs a program in the workspace, confined as the operator's options say.
 * When it ends, times out or is aborted, nothing it started is left.
 */
export async function runConfined(request: ConfinedRequest): Promise<CommandResult> {
  const { options, workspace, timeout_ms, signal, files = [], onOutput } = request;
  const unavailable = shellUnavailable(options);
  if (unavailable !== null) throw new AppError('unavailable', unavailable);
  await requireCommandWorkspace(workspace);
  const limits = options.limits ?? defaultCommandLimits;
  const isSandboxed = options.sandbox.works;
  const mark = isSandboxed ? null : `LOOM_RUN=${randomUUID()}`;
  const env = {
    ...commandEnvironment(request.call_key),
    ...request.env,
    ...(mark !== null && { LOOM_RUN: mark.slice('LOOM_RUN='.length) }),
  };
  const [file = '', ...args] = await startArguments(request, env);
  let exceeded: string | null = null;
  let endWatch = () => {};
  try {
    const run = await runProcessGroup({
      file,
      args,
      cwd: isSandboxed ? '/' : workspace,
      env,
      timeout_ms,
      signal,
      max_output_bytes: limits.max_output_chars,
      inputs: isSandboxed ? files.map(({ content }) => content) : [],
      ...(mark !== null && { mark }),
      ...(onOutput && { onOutput }),
      ...(isSandboxed && {
        onStatus: (status: string, stop: () => void) => {
          const init = initProcess(status);
          if (init === null) return null;
          endWatch = watchTree(init, limits, (reason) => {
            exceeded = reason;
            stop();
          });
          return init;
        },
      }),
    });
    if (run.stopped_by === 'caller') throw new AppError('cancelled', 'the command was cancelled');
    const timed_out = run.stopped_by === 'timeout';
    // The command's own errors are in its output; only the sandbox itself writes here.
    if (run.stopped_by === null && (run.exit_code === null || run.error_output !== '')) {
      const said = firstLine(run.error_output, 300);
      throw new AppError('tool_failed', `the command could not be started: ${said}`);
    }
    const exit_code = timed_out ? timedOutExitCode : (run.exit_code ?? timedOutExitCode);
    return { exit_code, output: run.output, timed_out, exceeded };
  } finally {
    endWatch();
  }
}
