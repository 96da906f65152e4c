import type { Problem } from '@loom/shared/api';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** Ends a command: a sentence that says what to do next, and the exit code. Shown without a stack. */
export class CommandFailure extends Error {
  readonly exit_code: ExitCode;
  /** What the gateway answered, when it was the gateway that refused. */
  readonly problem: Problem | null;

  constructor(message: string, options: { exit_code?: ExitCode; problem?: Problem } = {}) {
    super(message);
    this.name = 'CommandFailure';
    this.exit_code = options.exit_code ?? exitCodes.failed;
    this.problem = options.problem ?? null;
  }
}
