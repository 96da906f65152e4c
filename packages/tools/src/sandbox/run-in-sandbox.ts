import { AppError } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import { openConfinedDirectory } from '../confined/confined-directory.ts';
import { hiddenInside } from '../confined/hidden-inside.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { commandEnvironment } from './command-environment.ts';
import { limitedCommand } from './limited-command.ts';
import { runProcessGroup } from './run-process-group.ts';
import { type ShellOptions, shellUnavailable } from './shell-options.ts';

/** Memory held for the output of one command; what lies between is drained and dropped. */
const maxOutputBytes = 256 * 1024;
const timedOutExitCode = 124;

interface CommandRequest {
  command: string;
  workspace: string;
  timeout_ms: number;
  signal: AbortSignal;
  call_key: string;
  options: ShellOptions;
}

interface CommandResult {
  exit_code: number;
  output: string;
  timed_out: boolean;
}

async function requireDirectory(workspace: string): Promise<void> {
  if (workspace === '/') {
    throw new AppError(
      'workspace_invalid',
      'the root directory cannot be a workspace for commands',
    );
  }
  const directory = await openConfinedDirectory(workspace, []);
  await directory.close();
}

/**
 * Runs a shell command in the workspace, confined as the operator's options say.
 * When it ends, times out or is aborted, nothing it started is left.
 */
export async function runInSandbox(request: CommandRequest): Promise<CommandResult> {
  const { options, workspace, timeout_ms, signal } = request;
  const unavailable = shellUnavailable(options);
  if (unavailable !== null) throw new AppError('unavailable', unavailable);
  await requireDirectory(workspace);
  const env = commandEnvironment(request.call_key);
  const sandboxed = options.sandbox.works;
  const command = limitedCommand(request.command, {
    // More than one core may count; a single spinning thread meets the clock first.
    cpu_seconds: (timeout_ms / 1_000) * 4,
    // Outside its own user namespace a command would count all of the user's processes.
    processes: sandboxed,
  });
  // Without a sandbox nothing can be hidden: such a command sees all that this process sees, Loom's
  // own data too. That is part of what the operator allows with `allow_unsandboxed`.
  const hidden = await hiddenInside(workspace, options.hidden_paths);
  const { network } = options;
  const wrapper = sandboxed
    ? ['bwrap', ...bubblewrapArguments({ workspace, hidden, network, env })]
    : [];
  const [file = '', ...args] = [...wrapper, ...command];
  const cwd = sandboxed ? '/' : workspace;
  const max_output_bytes = maxOutputBytes;
  const run = await runProcessGroup({ file, args, cwd, env, timeout_ms, signal, max_output_bytes });
  if (run.stopped_by === 'caller') throw new AppError('cancelled', 'the command was cancelled');
  if (run.stopped_by === 'timeout') {
    return { exit_code: timedOutExitCode, output: run.output, timed_out: true };
  }
  // The command's own errors are in its output; only the sandbox itself writes here.
  if (run.exit_code === null || run.error_output !== '') {
    const said = firstLine(run.error_output, 300);
    throw new AppError('tool_failed', `the command could not be started: ${said}`);
  }
  return { exit_code: run.exit_code, output: run.output, timed_out: false };
}
