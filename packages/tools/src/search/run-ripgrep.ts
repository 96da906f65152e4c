import { AppError } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import { rgPath } from '@vscode/ripgrep';
import { execa } from 'execa';
import { hiddenInside } from '../confined/hidden-inside.ts';
import { statConfined } from '../confined/stat-confined.ts';

/** Where to look, and what must not be seen. */
export interface SearchScope {
  root: string;
  /** Relative to `root`. */
  path: string;
  hidden_paths: readonly string[];
  signal: AbortSignal;
}

const maxOutputChars = 1_000_000;

const fixedArguments = [
  '--no-config',
  '--no-follow',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-require-git',
  '--hidden',
  '--color=never',
  '--null',
];

/** A glob that leaves out one path, whatever characters its names are made of. */
function exclusion(path: string): string {
  return `--glob=!/${path.replace(/[^\w/.-]/gu, '\\$&')}`;
}

async function requireSearchable({ root, path }: SearchScope): Promise<void> {
  const target = await statConfined(root, path);
  if (target === null) throw new AppError('not_found', `${path} does not exist`);
  if (target.kind === 'symlink' || target.kind === 'other') {
    throw new AppError('forbidden', `${path} is not a regular file or directory`);
  }
}

/**
 * What ripgrep prints about the files of a scope, and whether that is all. It opens files by path,
 * so whatever it says is still to be confirmed.
 */
export async function runRipgrep(
  scope: SearchScope,
  request: { glob: string | null; arguments: readonly string[] },
): Promise<{ output: string; complete: boolean }> {
  await requireSearchable(scope);
  const hidden = await hiddenInside(scope.root, scope.hidden_paths);
  const args = [
    ...fixedArguments,
    ...(request.glob === null ? [] : [`--glob=${request.glob}`]),
    // The last glob that matches decides.
    '--glob=!.git',
    ...hidden.map(exclusion),
    ...request.arguments,
    '--',
    `./${scope.path}`,
  ];
  const result = await execa(rgPath, args, {
    cwd: scope.root,
    env: {},
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    maxBuffer: maxOutputChars,
    stripFinalNewline: false,
    cancelSignal: scope.signal,
    forceKillAfterDelay: 500,
  });
  scope.signal.throwIfAborted();
  // 1 means no match, 2 an error that may still come with matches.
  if (result.exitCode === 2 && result.stdout === '') {
    const reason = firstLine(result.stderr.replace(/^rg: /, '').replaceAll('\n', ' '), 300);
    throw new AppError('invalid_request', `the search could not run: ${reason}; correct it`);
  }
  return { output: result.stdout, complete: !result.isMaxBuffer };
}
