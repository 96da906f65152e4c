import type { ToolDefinition, ToolOutput } from '@loom/shared/tool';
import { z } from 'zod';
import { createSnapshots } from './changes/snapshots.ts';
import { withChanges } from './changes/with-changes.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { hasNoNul } from './file-input.ts';
import type { CommandResult } from './sandbox/run-confined.ts';
import { runInSandbox } from './sandbox/run-in-sandbox.ts';
import { hasNetwork, type ShellOptions, shellUnavailable } from './sandbox/shell-options.ts';

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

const networkSentences = {
  true: '',
  false: ' There is no network.',
  granted: ' There is no network unless the user granted it.',
};

function toOutput(result: CommandResult, timeout_seconds: number, note: string | null): ToolOutput {
  const output = result.output === '' ? '[no output]' : result.output;
  const end = note === null ? '' : `\n${note}`;
  if (result.timed_out) {
    return {
      text: `the command did not finish within ${timeout_seconds} s and was killed with everything it started; its output until then:\n${output}${end}`,
      failure: 'timeout',
    };
  }
  const { exit_code, exceeded } = result;
  const killed = exceeded === null ? '' : `\n[killed with everything it started: ${exceeded}]`;
  return { text: `exit code ${exit_code}\n${output}${killed}${end}`, exit_code };
}

/** The tool that runs a shell command; a failing command is a result, not an error. */
export function shellExecuteTool(
  options: ShellOptions,
  snapshots = createSnapshots(),
): ToolDefinition<z.infer<typeof input>> {
  return {
    name: 'shell_execute',
    description: `Run a shell command in the workspace directory and get its exit code and output. Nothing it starts outlives it.${networkSentences[`${options.network}`]}`,
    effect: 'effectful',
    // Room for the command's own limit to act first, and to report what was printed.
    timeout_ms: (maxTimeoutSeconds + 60) * 1_000,
    input,
    unavailable: () => shellUnavailable(options),
    async run({ command, timeout_seconds = defaultTimeoutSeconds }, context) {
      const workspace = requireWorkspace(context.workspace);
      const { hidden_paths } = options;
      const place = { workspace, hidden_paths, keep: context.keep };
      const { result, changes, note } = await withChanges(snapshots, place, () =>
        runInSandbox({
          command,
          workspace,
          read_roots: context.read_roots,
          timeout_ms: timeout_seconds * 1_000,
          signal: context.signal,
          call_key: context.call_key,
          options,
          network: hasNetwork(options, context),
          onOutput: context.progress,
        }),
      );
      const output = toOutput(result, timeout_seconds, note);
      return changes.length === 0 ? output : { ...output, changes };
    },
  };
}
