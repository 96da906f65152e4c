import { AppError } from '@loom/shared/app-error';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { requireWorkspace } from './confined/workspace.ts';
import { hasNoNul } from './file-input.ts';
import { runInSandbox } from './sandbox/run-in-sandbox.ts';
import { type ShellOptions, shellUnavailable } from './sandbox/shell-options.ts';

const defaultTimeoutSeconds = 120;
const maxTimeoutSeconds = 600;

const input = z.strictObject({
  command: z
    .string()
    .min(1, 'must not be empty')
    .max(32_000)
    .refine(hasNoNul, 'must not contain NUL characters')
    .describe('Command line for the shell, run in the workspace directory'),
  timeout_seconds: z
    .number()
    .positive()
    .max(maxTimeoutSeconds)
    .optional()
    .describe(`After this the command is killed; default ${defaultTimeoutSeconds}`),
});

/** The tool that runs a shell command; a failing command is a result, not an error. */
export function shellExecuteTool(options: ShellOptions): ToolDefinition<z.infer<typeof input>> {
  const network = options.network ? '' : ' There is no network.';
  return {
    name: 'shell_execute',
    description: `Run a shell command in the workspace directory and get its exit code and output. Nothing it starts outlives it.${network}`,
    effect: 'effectful',
    // Room for the command's own limit to act first, and to report what was printed.
    timeout_ms: (maxTimeoutSeconds + 10) * 1_000,
    input,
    unavailable: () => shellUnavailable(options),
    async run({ command, timeout_seconds = defaultTimeoutSeconds }, context) {
      const result = await runInSandbox({
        command,
        workspace: requireWorkspace(context.workspace),
        timeout_ms: timeout_seconds * 1_000,
        signal: context.signal,
        call_key: context.call_key,
        options,
      });
      const output = result.output === '' ? '[no output]' : result.output;
      if (result.timed_out) {
        throw new AppError(
          'time_exhausted',
          `the command did not finish within ${timeout_seconds} s and was killed with everything it started; its output until then:\n${output}`,
        );
      }
      return { text: `exit code ${result.exit_code}\n${output}`, exit_code: result.exit_code };
    },
  };
}
