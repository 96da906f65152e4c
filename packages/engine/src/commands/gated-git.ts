import { hasHole } from './expand-words.ts';
import { hasFlag, type Options, readOptions } from './read-options.ts';

const globalOptions = {
  values: 'Cc',
  long_values: ['git-dir', 'work-tree', 'namespace', 'super-prefix', 'config-env'],
  in_order: true,
};

/** The command of git that a command line asks for, and what is set for it. */
export function gitCommand(args: readonly string[]) {
  const { operands, values } = readOptions(args, globalOptions);
  const [command = '', ...rest] = operands;
  const settings = values.filter(({ flag }) => flag === '-c').map(({ value }) => value);
  return { command, args: rest, settings };
}

/** Why a person must see this command of git first, or null. */
export function gateGit(args: readonly string[]): string | null {
  const { command, args: rest } = gitCommand(args);
  if (hasHole(command)) return 'Which command of git it runs is only known once it runs';
  switch (command) {
    case 'push':
      return gatePush(readOptions(rest, { values: 'o', long_values: ['push-option', 'repo'] }));
    case 'reset':
      return hasFlag(readOptions(rest), '--hard')
        ? 'It throws away all changes that are not committed'
        : null;
    case 'clean':
      return isDryRun(readOptions(rest, { values: 'e', long_values: ['exclude'] }))
        ? null
        : 'It deletes all files that are not in the repository';
    case 'rm':
      return gateRemoval(readOptions(rest));
    case 'worktree':
      return rest[0] === 'remove' && hasFlag(readOptions(rest), '-f', '--force')
        ? 'It deletes a working tree with all changes in it'
        : null;
    default:
      return null;
  }
}

function gatePush(options: Options): string | null {
  const forces = hasFlag(options, '-f', '--force', '--force-with-lease', '--mirror');
  const refs = options.operands.slice(1);
  // Every operand: with --repo, the first one is a ref already.
  if (forces || options.operands.some((ref) => ref.startsWith('+'))) {
    return 'It overwrites what is in a remote repository';
  }
  const deletes = hasFlag(options, '-d', '--delete', '--prune');
  return deletes || refs.some((ref) => ref.startsWith(':') && ref.length > 1)
    ? 'It deletes branches or tags in a remote repository'
    : null;
}

function isDryRun(options: Options): boolean {
  return hasFlag(options, '-n', '--dry-run');
}

function gateRemoval(options: Options): string | null {
  const keepsFiles = hasFlag(options, '--cached') || isDryRun(options);
  return hasFlag(options, '-r') && !keepsFiles
    ? 'It deletes directories and all they contain'
    : null;
}
