import type { Scope } from '@loom/shared/api';
import { newId } from '@loom/shared/ids';
import type { Database } from '../database.ts';
import { behind, decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso, toIsoOrNull } from './row-values.ts';
import { hashSecret, newSecretToken } from './secret-token.ts';

/** Who a key or a cookie speaks for. */
export interface Identity {
  key_id: string;
  key_name: string;
  tenant_id: string;
  scopes: Scope[];
}

/** A key in a list: never its secret. */
interface ApiKeyInfo {
  id: string;
  name: string;
  scopes: Scope[];
  tenant: string;
  created_at: string;
  revoked_at: string | null;
}

/** A new API key's text. */
export function newApiKey(): string {
  return `loom_${newSecretToken()}`;
}

/** The holder of a key that was not revoked. */
export async function findIdentityByKey(db: Database, key: string): Promise<Identity | null> {
  const { rows } = await db.pool.query<Identity>(
    `SELECT id AS key_id, name AS key_name, tenant_id, scopes FROM api_keys
     WHERE key_hash = $1 AND revoked_at IS NULL`,
    [hashSecret(key)],
  );
  return rows[0] ?? null;
}

/**
 * Stores the hash of a key and creates its tenant when it is the first to name it.
 * A key that is there already stays as it is: its id is returned.
 */
export async function createApiKey(
  db: Database,
  params: { key: string; name: string; scopes: Scope[]; tenant: string },
): Promise<{ id: string }> {
  const { rows } = await db.pool.query<{ id: string }>(
    `WITH tenant AS (
       INSERT INTO tenants (id) VALUES ($2) ON CONFLICT (id) DO NOTHING
     )
     INSERT INTO api_keys (id, tenant_id, name, key_hash, scopes) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (key_hash) DO UPDATE SET key_hash = EXCLUDED.key_hash
     RETURNING id`,
    [newId('key'), params.tenant, params.name, hashSecret(params.key), params.scopes],
  );
  if (rows[0] === undefined) throw new Error('the insert of an api key returned no row');
  return rows[0];
}

/** Keys, newest first, revoked ones included; `tenant_id` null: of every tenant. */
export async function listApiKeys(
  db: Database,
  params: { tenant_id: string | null; limit: number; cursor?: string },
): Promise<Page<ApiKeyInfo>> {
  const { apiKey } = await db.prisma();
  const rows = await apiKey.findMany({
    select: {
      id: true,
      name: true,
      scopes: true,
      tenant_id: true,
      created_at: true,
      revoked_at: true,
    },
    where: {
      ...(params.tenant_id === null ? {} : { tenant_id: params.tenant_id }),
      ...behind('created_at', decodeCursor(params.cursor)),
    },
    orderBy: [{ created_at: 'desc' }, { id: 'desc' }],
    take: params.limit + 1,
  });
  const keys = rows.map(({ tenant_id, ...row }) => ({
    ...row,
    scopes: row.scopes as Scope[],
    tenant: tenant_id,
    created_at: toIso(row.created_at),
    revoked_at: toIsoOrNull(row.revoked_at),
  }));
  return toPage(keys, params.limit, ({ created_at, id }) => ({ at: created_at, id }));
}

/** Ends a key; false when the asker has no such key or it was ended before. */
export async function revokeApiKey(
  db: Database,
  params: { tenant_id: string | null; key_id: string },
): Promise<boolean> {
  const { apiKey } = await db.prisma();
  const { count } = await apiKey.updateMany({
    where: {
      id: params.key_id,
      revoked_at: null,
      ...(params.tenant_id === null ? {} : { tenant_id: params.tenant_id }),
    },
    data: { revoked_at: new Date() },
  });
  return count === 1;
}
