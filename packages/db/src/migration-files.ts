import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@loom/shared/app-error';

/** One step of the schema, as Prisma lays it out: `<time>_<name>/migration.sql`. */
export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The repository's migrations, found from the source as well as from a bundle of it. */
export function findMigrationsDir(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(directory, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
    const parent = dirname(directory);
    if (parent === directory) {
      throw new AppError('internal', 'prisma/migrations is missing beside the installed program.');
    }
    directory = parent;
  }
}

/** All migrations of a directory, oldest first, with the checksums that Prisma would give them. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}
