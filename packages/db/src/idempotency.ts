import { AppError } from '@loom/shared/app-error';
import type { Accepted, Idempotency } from '@loom/shared/intake';
import type pg from 'pg';
import { findAnswer } from './find-answer.ts';

/**
 * Does `work` once per key, in the transaction in which the answer is kept: an answer that was
 * given is given again, and one that is being made at this moment is a conflict.
 */
export async function answerOnce<T>(
  client: pg.ClientBase,
  tenantId: string,
  idempotency: Idempotency | null,
  work: () => Promise<{ status: number; body: T }>,
): Promise<Accepted<T>> {
  if (idempotency === null) return { ...(await work()), replayed: false };
  const { key, request_hash } = idempotency;
  const { rows: locks } = await client.query<{ free: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free',
    [`idempotency/${tenantId}/${key}`],
  );
  if (locks[0]?.free !== true) {
    throw new AppError(
      'idempotency_in_progress',
      'A request with this Idempotency-Key is being handled right now. Try again in a moment.',
      { retryable: true },
    );
  }
  const given = await findAnswer<T>(client, tenantId, idempotency);
  if (given !== null) return given;
  const answer = await work();
  await client.query(
    `INSERT INTO idempotency_keys (tenant_id, key, request_hash, status_code, response)
      VALUES ($1, $2, $3, $4, $5)`,
    [tenantId, key, request_hash, answer.status, JSON.stringify(answer.body)],
  );
  return { ...answer, replayed: false };
}
