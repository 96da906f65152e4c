import { AppError } from '@loom/shared/app-error';
import type { Accepted, Idempotency } from '@loom/shared/intake';
import type pg from 'pg';

/** The answer that this key was given before; null when it is new. */
export async function findAnswer<T>(
  client: pg.ClientBase,
  tenantId: string,
  idempotency: Idempotency | null,
): Promise<Accepted<T> | null> {
  if (idempotency === null) return null;
  const { rows } = await client.query<{ request_hash: string; status: number; response: T }>(
    `SELECT request_hash, status_code AS status, response FROM idempotency_keys
     WHERE tenant_id = $1 AND key = $2`,
    [tenantId, idempotency.key],
  );
  const kept = rows[0];
  if (kept === undefined) return null;
  if (kept.request_hash !== idempotency.request_hash) {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used for a different request. Use a new key.',
    );
  }
  return { status: kept.status, body: kept.response, replayed: true };
}
