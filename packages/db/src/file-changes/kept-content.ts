import type pg from 'pg';

/** Which of these contents the tenant still has. */
export async function findKept(
  client: pg.ClientBase | pg.Pool,
  tenantId: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const { rows } = await client.query<{ hash: string }>({
    name: 'find-kept',
    text: 'SELECT hash FROM blobs WHERE tenant_id = $1 AND hash = ANY($2)',
    values: [tenantId, hashes],
  });
  return new Set(rows.map(({ hash }) => hash));
}

/** A content by its hash; null when the tenant does not have it. */
export async function loadKept(
  client: pg.ClientBase | pg.Pool,
  tenantId: string,
  hash: string,
): Promise<Buffer | null> {
  const { rows } = await client.query<{ content: Buffer }>({
    name: 'load-kept',
    text: 'SELECT content FROM blobs WHERE tenant_id = $1 AND hash = $2',
    values: [tenantId, hash],
  });
  return rows[0]?.content ?? null;
}
