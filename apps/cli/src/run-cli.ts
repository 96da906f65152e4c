import { AppError, errorMessage } from '@loom/shared/app-error';
import { CommanderError } from 'commander';
import type { CliIo } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';

/** Runs one command line; the answer is its exit code, or null when a server owns the process. */
export async function runCli(args: string[], io: CliIo): Promise<ExitCode | null> {
  const { program, context } = createProgram(io);
  try {
    await program.parseAsync(args, { from: 'user' });
    return context.exit_code;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    const terminal = context.terminal();
    const code = error instanceof CommandFailure ? error.exit_code : exitCodes.failed;
    if (terminal.json) terminal.complain(JSON.stringify(describeForMachines(error)));
    else terminal.complain(terminal.colors.red(errorMessage(error)));
    return code;
  }
}

function describeForMachines(error: unknown): Record<string, unknown> {
  if (error instanceof CommandFailure && error.problem !== null) return { ...error.problem };
  if (error instanceof AppError) {
    return { code: error.code, detail: error.message, ...error.details };
  }
  return { code: 'failed', detail: errorMessage(error) };
}
