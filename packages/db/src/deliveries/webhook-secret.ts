import type { Database } from '../database.ts';
import { toIso } from '../read/row-values.ts';
import { newSecretToken } from '../read/secret-token.ts';

/** What a tenant's webhooks are signed with. */
export interface WebhookSecret {
  secret: string;
  created_at: string;
}

interface SecretRow {
  secret: string;
  created_at: Date;
}

/** The tenant's secret; the first who asks makes it. */
export async function getOrCreateSecret(db: Database, tenantId: string): Promise<WebhookSecret> {
  const { rows } = await db.pool.query<SecretRow>({
    name: 'read-webhook-secret',
    text: 'SELECT secret, created_at FROM webhook_secrets WHERE tenant_id = $1',
    values: [tenantId],
  });
  if (rows[0] !== undefined) return toSecret(rows[0]);
  // Of two who ask at once, both get what was kept: the update changes nothing but returns the row.
  return writeSecret(db, tenantId, 'tenant_id = excluded.tenant_id');
}

/** Replaces the tenant's secret: every call from now on is signed with the new one. */
export async function rotateSecret(db: Database, tenantId: string): Promise<WebhookSecret> {
  return writeSecret(db, tenantId, 'secret = excluded.secret, created_at = now()');
}

async function writeSecret(
  db: Database,
  tenantId: string,
  ifThere: string,
): Promise<WebhookSecret> {
  const { rows } = await db.pool.query<SecretRow>(
    `INSERT INTO webhook_secrets (tenant_id, secret) VALUES ($1, $2)
      ON CONFLICT (tenant_id) DO UPDATE SET ${ifThere} RETURNING secret, created_at`,
    [tenantId, `whsec_${newSecretToken()}`],
  );
  return toSecret(rows[0] as SecretRow);
}

function toSecret({ secret, created_at }: SecretRow): WebhookSecret {
  return { secret, created_at: toIso(created_at) };
}
