import { AppError } from '@loom/shared/app-error';
import type { CheckResult } from '@loom/shared/verdict';
import { runInSandbox } from '@loom/tools/sandbox/run-in-sandbox';
import { type ShellOptions, shellUnavailable } from '@loom/tools/sandbox/shell-options';
import { lastLines } from './last-lines.ts';
import type { VerificationSubject } from './verification-subject.ts';

const timeoutMs = 120_000;

/** How declared commands are run. */
export interface CommandRunner {
  shell: ShellOptions;
  signal: AbortSignal;
  /** Begins the key that each command sees as its own. */
  key: string;
}

/** Declared commands run one after the other in the sandbox and must exit with 0. Throws when aborted. */
export async function checkCommands(
  { spec, ...place }: Pick<VerificationSubject, 'spec' | 'workspace' | 'read_roots'>,
  runner: CommandRunner,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, command] of spec.checks.entries()) {
    const call_key = `${runner.key}/check/${index}`;
    results.push(await runCheck(command, place, { ...runner, key: call_key }));
  }
  return results;
}

/** True for a command that could not be run: it says nothing about the work. */
export function isNotRun(check: CheckResult): boolean {
  return check.name === 'command' && check.exit_code === undefined;
}

async function runCheck(
  command: string,
  { workspace, read_roots }: Pick<VerificationSubject, 'workspace' | 'read_roots'>,
  { shell, signal, key }: CommandRunner,
): Promise<CheckResult> {
  const unavailable = shellUnavailable(shell);
  if (unavailable !== null) return notRun(command, unavailable);
  if (workspace === null) return notRun(command, 'the task has no workspace');
  try {
    const { exit_code, output, timed_out, exceeded } = await runInSandbox({
      command,
      workspace,
      read_roots,
      timeout_ms: timeoutMs,
      signal,
      call_key: key,
      options: shell,
      network: shell.network === true,
    });
    const reason = timed_out ? `after ${timeoutMs / 1_000} s` : exceeded && `because ${exceeded}`;
    const note = reason ? `\n[killed ${reason}]` : '';
    const detail = `${lastLines(output) || '[no output]'}${note}`;
    const passed = exit_code === 0;
    return { name: 'command', target: command, passed, advisory: false, detail, exit_code };
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    return notRun(command, error.message);
  }
}

function notRun(command: string, reason: string): CheckResult {
  const detail = `was not run: ${reason}`;
  return { name: 'command', target: command, passed: false, advisory: true, detail };
}
