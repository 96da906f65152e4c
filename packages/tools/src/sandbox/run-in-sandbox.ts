import { existsSync } from 'node:fs';
import { type CommandResult, type ConfinedRequest, runConfined } from './run-confined.ts';

/** Runs a command line of the shell in the workspace, as `runConfined` runs a program. */
export async function runInSandbox(
  request: Omit<ConfinedRequest, 'argv' | 'env' | 'files'> & { command: string },
): Promise<CommandResult> {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  return runConfined({ ...request, argv: [shell, '-c', request.command] });
}
