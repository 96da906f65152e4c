import { AppError } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import { rgPath } from '@vscode/ripgrep';
import { execa } from 'execa';
import { hiddenInside } from '../confined/hidden-inside.ts';
import { statConfined } from '../confined/stat-confined.ts';
import { maxReadBytes } from '../file-input.ts';

export interface SearchMatch {
  path: string;
  line: number;
  text: string;
}

const maxOutputChars = 4_000_000;
const maxMatchesPerFile = 100;

const fixedArguments = [
  '--no-config',
  '--no-follow',
  '--no-ignore-parent',
  '--no-ignore-global',
  '--no-require-git',
  '--hidden',
  '--glob=!.git',
  '--color=never',
  '--no-heading',
  '--with-filename',
  '--line-number',
  '--null',
  '--sort=path',
  '--threads=1',
  `--max-count=${maxMatchesPerFile}`,
  `--max-filesize=${maxReadBytes}`,
];

function parseMatch(line: string): SearchMatch | null {
  const found = /^(?:\.\/)*(?<path>[^\0]+)\0(?<line>\d+):(?<text>.*)$/s.exec(line)?.groups;
  if (!found?.path || !found.line) return null;
  return { path: found.path, line: Number(found.line), text: found.text ?? '' };
}

/** A glob that leaves out one path, whatever characters its names are made of. */
function exclusion(path: string): string {
  return `--glob=!/${path.replace(/[^\w/.-]/gu, '\\$&')}`;
}

/** Asks ripgrep for matching lines; what it says about a file is still to be confirmed. */
export async function runRipgrep(search: {
  workspace: string;
  pattern: string;
  path: string;
  glob: string | null;
  hidden_paths: readonly string[];
  signal: AbortSignal;
}): Promise<{ matches: SearchMatch[]; complete: boolean }> {
  const target = await statConfined(search.workspace, search.path);
  if (target === null) throw new AppError('not_found', `${search.path} does not exist`);
  if (target.kind === 'symlink' || target.kind === 'other') {
    throw new AppError('forbidden', `${search.path} is not a regular file or directory`);
  }
  const hidden = await hiddenInside(search.workspace, search.hidden_paths);
  const args = [
    ...fixedArguments,
    ...(search.glob === null ? [] : [`--glob=${search.glob}`]),
    // The last glob that matches decides.
    ...hidden.map(exclusion),
    `--regexp=${search.pattern}`,
    '--',
    `./${search.path}`,
  ];
  const result = await execa(rgPath, args, {
    cwd: search.workspace,
    env: {},
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    maxBuffer: maxOutputChars,
    stripFinalNewline: false,
    cancelSignal: search.signal,
    forceKillAfterDelay: 500,
  });
  search.signal.throwIfAborted();
  // 1 means no match, 2 an error that may still come with matches.
  if (result.exitCode === 2 && result.stdout === '') {
    const reason = firstLine(result.stderr.replace(/^rg: /, '').replaceAll('\n', ' '), 300);
    throw new AppError('invalid_request', `the search could not run: ${reason}; correct it`);
  }
  const lines = result.stdout.split('\n');
  // The last piece is empty, or a line that was cut off.
  lines.pop();
  const matches = lines.map(parseMatch).filter((match) => match !== null);
  return { matches, complete: !result.isMaxBuffer };
}
