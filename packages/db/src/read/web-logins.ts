import type { Database } from '../database.ts';
import type { Identity } from './api-keys.ts';
import { hashSecret, newSecretToken } from './secret-token.ts';

/** A one-time link token for the holder of a key, good for 15 minutes. */
export async function createLoginToken(
  db: Database,
  params: { tenant_id: string; api_key_id: string },
): Promise<string> {
  const token = newSecretToken();
  await db.pool.query(
    `INSERT INTO web_logins (token_hash, kind, tenant_id, api_key_id, expires_at)
     VALUES ($1, 'link', $2, $3, now() + interval '15 minutes')`,
    [hashSecret(token), params.tenant_id, params.api_key_id],
  );
  return token;
}

/** Swaps a link token, once, for a cookie of 30 days; null when it is used, expired or unknown. */
export async function exchangeLoginToken(db: Database, token: string): Promise<string | null> {
  const cookie = newSecretToken();
  const { rowCount } = await db.pool.query(
    `WITH link AS (
       UPDATE web_logins SET used_at = now()
       WHERE token_hash = $1 AND kind = 'link' AND used_at IS NULL AND expires_at > now()
       RETURNING tenant_id, api_key_id
     )
     INSERT INTO web_logins (token_hash, kind, tenant_id, api_key_id, expires_at)
     SELECT $2, 'cookie', link.tenant_id, link.api_key_id, now() + interval '30 days'
     FROM link JOIN api_keys k ON k.id = link.api_key_id AND k.revoked_at IS NULL`,
    [hashSecret(token), hashSecret(cookie)],
  );
  return rowCount === 1 ? cookie : null;
}

/** A cookie of 30 days for someone who showed the key itself. */
export async function createLoginCookie(
  db: Database,
  params: { tenant_id: string; api_key_id: string },
): Promise<string> {
  const cookie = newSecretToken();
  await db.pool.query(
    `INSERT INTO web_logins (token_hash, kind, tenant_id, api_key_id, expires_at)
     VALUES ($1, 'cookie', $2, $3, now() + interval '30 days')`,
    [hashSecret(cookie), params.tenant_id, params.api_key_id],
  );
  return cookie;
}

/** The holder of a cookie that has not expired and whose key was not revoked. */
export async function findIdentityByCookie(db: Database, cookie: string): Promise<Identity | null> {
  const { rows } = await db.pool.query<Identity>(
    `SELECT k.id AS key_id, k.name AS key_name, k.tenant_id, k.scopes
     FROM web_logins w JOIN api_keys k ON k.id = w.api_key_id AND k.tenant_id = w.tenant_id
     WHERE w.token_hash = $1 AND w.kind = 'cookie' AND w.expires_at > now()
       AND k.revoked_at IS NULL`,
    [hashSecret(cookie)],
  );
  return rows[0] ?? null;
}
