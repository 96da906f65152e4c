import { withoutHoles } from './expand-words.ts';
import type { Stdin } from './foresee.ts';
import { gateGit } from './gated-git.ts';
import { deletesData, isSqlClient, sqlTexts } from './gated-sql.ts';
import { isProtectedPath } from './protected-path.ts';
import { hasFlag, readOptions } from './read-options.ts';
import { writtenPaths } from './written-paths.ts';

/** One run of a program, as far as it is known. */
export interface ProgramCall {
  program: string;
  args: readonly string[];
  stdin: Stdin | null;
  /** It is run for what a search through directories finds. */
  over_tree: boolean;
  /** The script has gone to a directory where secrets are kept. */
  in_protected: boolean;
}

const otherUsers = new Set(['sudo', 'sudoedit', 'doas', 'su', 'pkexec', 'runuser', 'run0']);

const secretsSentence = 'It changes a file in which secrets are kept';

/** Why a person must see this call before it runs, or null. */
export function gateProgram(call: ProgramCall): string | null {
  if (otherUsers.has(call.program)) return 'It runs with the rights of another user';
  return gateByProgram(call) ?? gateSql(call) ?? gateTargets(call);
}

function gateByProgram({ program, args, over_tree }: ProgramCall): string | null {
  switch (program) {
    case 'rm':
      if (hasFlag(readOptions(args), '-r', '-R', '--recursive')) {
        return 'It deletes directories and all they contain';
      }
      return over_tree ? 'It deletes everything that a search finds' : null;
    case 'unlink':
    case 'shred':
      return over_tree ? 'It deletes everything that a search finds' : null;
    case 'rimraf':
      return readOptions(args).operands.length > 0
        ? 'It deletes directories and all they contain'
        : null;
    case 'find':
      return args.some((arg) => withoutHoles(arg) === '-delete')
        ? 'It deletes everything that a search finds'
        : null;
    case 'rsync':
      return readOptions(args).flags.some((flag) => flag.startsWith('--del'))
        ? 'It deletes everything that the source does not have'
        : null;
    case 'chmod':
      return opensToAll(args) ? 'It lets everyone read, change and run files' : null;
    case 'git':
      return gateGit(args);
    case 'dropdb':
      return 'It deletes a database';
    case 'mysqladmin':
      return args.includes('drop') ? 'It deletes a database' : null;
    default:
      return null;
  }
}

function opensToAll(args: readonly string[]): boolean {
  // A mode may begin with a minus, so it cannot be told from options by that.
  const mode = args.map(withoutHoles).find((arg) => !/^(-[Rvcf]+|--.*)$/.test(arg)) ?? '';
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode, 8) & 0o777) === 0o777;
  const granted = new Set<string>();
  for (const clause of mode.split(',')) {
    const { who, given } =
      /^(?<who>[ugoa]+)(?<given>([-+=][rwxXst]*)+)$/.exec(clause)?.groups ?? {};
    if (who === undefined || !/[oa]/.test(who)) continue;
    for (const [, sign, letters = ''] of given?.matchAll(/([-+=])([rwxXst]*)/g) ?? []) {
      if (sign === '-') continue;
      for (const letter of letters.toLowerCase()) granted.add(letter);
    }
  }
  return ['r', 'w', 'x'].every((letter) => granted.has(letter));
}

function gateSql({ program, args, stdin }: ProgramCall): string | null {
  if (!isSqlClient(program)) return null;
  const texts = sqlTexts(args, stdin === null ? [] : [stdin.text, stdin.likely]);
  return texts.some(deletesData) ? 'It deletes data from a database' : null;
}

function gateTargets({ program, args, in_protected }: ProgramCall): string | null {
  return writtenPaths(program, args).some((path) => isProtectedTarget(path, in_protected))
    ? secretsSentence
    : null;
}

/** Why a person must see a redirection to this path first, or null. */
export function gateRedirect(path: string, in_protected: boolean): string | null {
  return isProtectedTarget(path, in_protected) ? secretsSentence : null;
}

function isProtectedTarget(path: string, in_protected: boolean): boolean {
  return isProtectedPath(path) || (in_protected && path !== '' && !/^[/~$]/.test(path));
}
