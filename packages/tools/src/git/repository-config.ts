import { AppError } from '@loom/shared/app-error';
import { execa } from 'execa';
import { readConfined } from '../confined/read-confined.ts';
import { statConfined } from '../confined/stat-confined.ts';

const maxConfigBytes = 256 * 1024;
const readTimeoutMs = 10_000;

/** Settings that can neither start a program nor lead git to other files. */
const harmless = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|compression|bigfilethreshold|sharedrepository|protectntfs|protecthfs)$/,
  /^extensions\.(objectformat|refstorage|noop)$/,
  /^(user|author|committer)\.(name|email)$/,
  /^remote\..*\.(url|fetch)$/s,
  /^branch\..*\.(remote|merge|rebase)$/s,
  /^(merge\.(conflictstyle|ff|renames)|diff\.(renames|algorithm|context|noprefix|mnemonicprefix))$/,
  /^(init\.defaultbranch|i18n\..*|log\.date|tag\.sort|status\..*)$/,
];

const ownIdentity: [string, string][] = [
  ['user.name', 'Loom'],
  ['user.email', 'loom@localhost'],
];

type Setting = [key: string, value: string];

/** The settings of a configuration file, read by git itself and without what it includes. */
async function listSettings(config: string): Promise<Setting[]> {
  const result = await execa(
    'git',
    ['config', '--null', '--list', '--no-includes', '--file', '-'],
    {
      input: config,
      cwd: '/',
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CEILING_DIRECTORIES: '/',
      },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      timeout: readTimeoutMs,
    },
  );
  if (result.exitCode !== 0) {
    throw new AppError(
      'tool_failed',
      'the configuration in .git/config cannot be read by git; correct it',
    );
  }
  return result.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry): Setting => {
      const end = entry.indexOf('\n');
      return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    });
}

function quoted(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

function writeSetting([key, value]: Setting): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const middle = first === last ? '' : ` ${quoted(key.slice(first + 1, last))}`;
  return `[${key.slice(0, first)}${middle}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
}

/** The part of a repository's configuration that is harmless, with an identity to commit under. */
export async function harmlessConfig(config: string): Promise<string> {
  const settings = await listSettings(config);
  const kept = settings.filter(
    // A name of a section cannot hold a newline, and a NUL cannot come this far.
    ([key]) => !key.includes('\n') && harmless.some((pattern) => pattern.test(key)),
  );
  const missing = ownIdentity.filter(([key]) => !kept.some(([name]) => name === key));
  return [...kept, ...missing].map(writeSetting).join('');
}

/**
 * The configuration of the repository in a workspace; null when there is no repository. Refuses one
 * whose directory is a link or leads elsewhere: only what lies in `.git` itself was looked at.
 */
export async function readRepositoryConfig(workspace: string): Promise<string | null> {
  const directory = await statConfined(workspace, '.git');
  if (directory === null) return null;
  if (
    directory.kind !== 'directory' ||
    (await statConfined(workspace, '.git/commondir')) !== null
  ) {
    throw new AppError(
      'forbidden',
      'the .git of this workspace leads to a repository elsewhere, which is out of reach; work in the workspace that has the repository itself',
    );
  }
  if ((await statConfined(workspace, '.git/config')) === null) return '';
  const content = await readConfined(workspace, '.git/config', { max_bytes: maxConfigBytes });
  return content.toString('utf8');
}
