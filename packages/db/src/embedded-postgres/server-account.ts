import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@loom/shared/app-error';

const run = promisify(execFile);

/** The system user that the server runs as. */
export interface ServerAccount {
  /** Null: our own user. */
  owner: { uid: number; gid: number } | null;
  /** What a command line must start with to run as that user and reach its files. */
  prefix: string[];
}

const userName = 'postgres';

/**
 * Postgres refuses to run as root, so root lends it the user `postgres`, made when missing.
 * Fails with a sentence on what to do when that user could not reach the given paths.
 */
export async function serverAccount(paths: string[]): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return { owner: null, prefix: [] };
  const owner = (await findUser()) ?? (await createUser());
  const blocked = await firstUnreachable(owner, [], paths);
  if (blocked === null) return { owner, prefix: [] };

  // A clone below a private directory: keep the user, add only the right to pass directories.
  for (const capability of ['dac_read_search', 'dac_override']) {
    const prefix = [
      'setpriv',
      `--reuid=${owner.uid}`,
      `--regid=${owner.gid}`,
      '--clear-groups',
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
      // Without it access(2), which the server asks about its own files, ignores the capability.
      '--securebits=+no_setuid_fixup',
    ];
    if ((await firstUnreachable(null, prefix, paths)) === null) return { owner, prefix };
  }
  throw new AppError(
    'unavailable',
    `The embedded Postgres cannot run as root, and its user \`${userName}\` may not enter ${blocked}. Run as an ordinary user, or make that directory passable (chmod o+x), or set LOOM_DATA_DIR to another place, or set DATABASE_URL.`,
  );
}

async function findUser(): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([
      run('id', ['-u', userName]),
      run('id', ['-g', userName]),
    ]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

async function createUser(): Promise<{ uid: number; gid: number }> {
  const failure: unknown = await run('useradd', ['--system', '--user-group', userName]).then(
    () => null,
    (error) => error,
  );
  const user = await findUser();
  if (user !== null) return user;
  throw new AppError(
    'unavailable',
    `The embedded Postgres cannot run as root, and creating the user \`${userName}\` failed. Run as an ordinary user, or set DATABASE_URL.`,
    { cause: failure },
  );
}

const findUnreachable = 'for d do [ -x "$d" ] || { printf %s "$d"; exit; }; done';

async function firstUnreachable(
  owner: { uid: number; gid: number } | null,
  prefix: string[],
  paths: string[],
): Promise<string | null> {
  const [command = 'sh', ...args] = [...prefix, '/bin/sh', '-c', findUnreachable, 'sh'];
  try {
    const { stdout } = await run(command, [...args, ...paths.flatMap(withAncestors)], {
      ...owner,
      cwd: '/',
    });
    return stdout === '' ? null : stdout;
  } catch {
    return paths[0] ?? '/';
  }
}

function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...withAncestors(parent), path];
}
