import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@loom/db/database';
import { createApiKey, newApiKey } from '@loom/db/read/api-keys';
import type { Settings } from '@loom/shared/load-config';

/** Makes sure that there is an admin key: the one that was given, else one kept beside the data. */
export async function ensureAdminKey(
  db: Database,
  settings: Settings,
): Promise<{ id: string; file: string | null }> {
  const file = join(settings.data_dir, 'admin.key');
  const key = settings.admin_key ?? (await readOrMint(settings.data_dir, file));
  const { id } = await createApiKey(db, {
    key,
    name: 'bootstrap admin',
    scopes: ['user', 'admin'],
    tenant: 'default',
  });
  return { id, file: settings.admin_key === null ? file : null };
}

async function readOrMint(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  try {
    // Exclusive: of two gateways that start at once, one mints and the other reads.
    await writeFile(file, `${newApiKey()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}
