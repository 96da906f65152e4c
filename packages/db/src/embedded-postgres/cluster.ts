import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError, errorMessage } from '@loom/shared/app-error';
import type { PostgresBinaries } from './binaries.ts';
import type { ServerAccount } from './server-account.ts';

// Written to the cluster's own configuration, where an operator can change them. Durable commits
// are Postgres's default, named here because a 2xx rests on them.
const settings = [
  'fsync=on',
  'synchronous_commit=on',
  'shared_buffers=128MB',
  'max_connections=200',
  'wal_compression=on',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
];

/** A data directory that the server can be started on. */
export interface Cluster {
  directory: string;
  password: string;
}

/** Where the cluster of a data directory lies. */
export function clusterDirectory(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/** Makes the cluster on first use, in one rename, so that a crash leaves nothing half-made. */
export async function ensureCluster(
  dataDir: string,
  binaries: PostgresBinaries,
  account: ServerAccount,
): Promise<Cluster> {
  const password = await ensurePassword(dataDir);
  const directory = clusterDirectory(dataDir);
  if (existsSync(join(directory, 'PG_VERSION'))) return { directory, password };

  const draft = join(dataDir, `postgres.new-${process.pid}`);
  const passwordFile = join(dataDir, `postgres.initdb-${process.pid}`);
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account.owner !== null) {
      await chown(draft, account.owner.uid, account.owner.gid);
      await chown(passwordFile, account.owner.uid, account.owner.gid);
    }
    await initialise(binaries, account, draft, passwordFile);
    await rename(draft, directory).catch((error) => {
      // Another process made it in the meantime: its cluster has the same password.
      if (!existsSync(join(directory, 'PG_VERSION'))) throw error;
    });
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
  return { directory, password };
}

async function initialise(
  binaries: PostgresBinaries,
  account: ServerAccount,
  directory: string,
  passwordFile: string,
): Promise<void> {
  const [command = binaries.initdb, ...args] = [
    ...account.prefix,
    binaries.initdb,
    `--pgdata=${directory}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...settings.flatMap((setting) => ['--set', setting]),
  ];
  const owner = account.prefix.length === 0 ? account.owner : null;
  try {
    await promisify(execFile)(command, args, { ...owner, cwd: '/', env: serverEnvironment });
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? error.stderr : errorMessage(error);
    throw new AppError('unavailable', `Creating the embedded Postgres failed: ${reason}`, {
      cause: error,
    });
  }
}

/** The environment of the server's programs: nothing of ours, messages in one language. */
export const serverEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };

async function ensurePassword(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres.password');
  const draft = `${file}.${process.pid}`;
  if (!existsSync(file)) {
    await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600 });
    // A link never replaces: of two processes that start at once, both get the first one's.
    await link(draft, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(draft);
  }
  return (await readFile(file, 'utf8')).trim();
}
