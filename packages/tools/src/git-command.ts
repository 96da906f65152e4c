import { AppError } from '@loom/shared/app-error';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { createSnapshots } from './changes/snapshots.ts';
import { withChanges } from './changes/with-changes.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { hasNoNul } from './file-input.ts';
import { buildGitArguments, type GitCall } from './git/build-git-arguments.ts';
import { gitSubcommands } from './git/git-subcommands.ts';
import { findGit, hardenedGit } from './git/hardened-git.ts';
import { harmlessConfig, readRepositoryConfig } from './git/repository-config.ts';
import { runConfined } from './sandbox/run-confined.ts';
import { type ShellOptions, shellUnavailable } from './sandbox/shell-options.ts';

const timeoutSeconds = 120;

const input = z.strictObject({
  args: z
    .array(z.string().max(32_000).refine(hasNoNul, 'must not contain NUL characters'))
    .min(1)
    .max(1_000)
    .describe('What follows "git" on a command line, one item an argument: ["commit", "-m", "…"]'),
});

/** The configuration git is to see; null when it sees the repository's own, or makes one. */
async function configFor(workspace: string, { name, subcommand }: GitCall): Promise<string | null> {
  const config = await readRepositoryConfig(workspace);
  if (name === 'init') {
    if (config === null) return null;
    throw new AppError('conflict', 'the workspace is a git repository already; go on with it');
  }
  if (config === null) {
    throw new AppError('not_found', 'the workspace is no git repository; make one with ["init"]');
  }
  return subcommand.own_config ? null : harmlessConfig(config);
}

function unavailable(options: ShellOptions): string | null {
  if (findGit() === null) return 'git is not installed on this machine.';
  // A repository can name programs to run; without a sandbox there is no way to take them out.
  return shellUnavailable({ ...options, allow_unsandboxed: false });
}

/** The tool that runs git: listed subcommands and options, no other repository, nothing a repository brings along. */
export function gitCommandTool(
  options: ShellOptions,
  snapshots = createSnapshots(),
): ToolDefinition<z.infer<typeof input>> {
  return {
    name: 'git_command',
    description: `Run git in the workspace and get its exit code and output. Hooks, filters and other programs of the repository are not run, and there is no access to remote repositories. Subcommands: ${[...gitSubcommands.keys()].join(', ')}.`,
    effect: 'effectful',
    timeout_ms: (timeoutSeconds + 60) * 1_000,
    input,
    unavailable: () => unavailable(options),
    async run({ args }, context) {
      const workspace = requireWorkspace(context.workspace);
      const call = buildGitArguments(args);
      const git = hardenedGit(workspace, call, await configFor(workspace, call));
      const place = { workspace, hidden_paths: options.hidden_paths, keep: context.keep };
      const { result, changes, note } = await withChanges(snapshots, place, () =>
        runConfined({
          ...git,
          workspace,
          timeout_ms: timeoutSeconds * 1_000,
          signal: context.signal,
          call_key: context.call_key,
          options,
          network: false,
          onOutput: context.progress,
        }),
      );
      const { exit_code, timed_out, exceeded } = result;
      const killed = timed_out ? `it took longer than ${timeoutSeconds} s` : exceeded;
      const lines = [
        `exit code ${exit_code}`,
        result.output || '[no output]',
        ...(killed === null ? [] : [`[killed: ${killed}]`]),
        ...(note === null ? [] : [note]),
      ];
      return {
        text: lines.join('\n'),
        exit_code,
        ...(timed_out && { failure: 'timeout' as const }),
        ...(changes.length > 0 && { changes }),
      };
    },
  };
}
