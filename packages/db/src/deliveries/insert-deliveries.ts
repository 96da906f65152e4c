import type { EventType } from '@loom/shared/events';
import type { Ring } from '@loom/shared/queues';
import type pg from 'pg';

/** A callback_url to call, and what to tell it. */
export interface NewDelivery {
  id: string;
  tenant_id: string;
  task_id: string;
  session_id: string | null;
  url: string;
  event: EventType;
  /** The task as it ended. */
  payload: unknown;
}

/** Puts deliveries and their units there, in the transaction that ends their tasks; ring after it. */
export async function insertDeliveries(
  client: pg.ClientBase,
  deliveries: NewDelivery[],
): Promise<Ring[]> {
  if (deliveries.length === 0) return [];
  await client.query({
    name: 'insert-deliveries',
    text: `WITH new AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
          AS r(id, tenant_id, task_id, session_id, url, event, payload)),
      kept AS (
        INSERT INTO deliveries (id, tenant_id, task_id, url, event, payload)
        SELECT id, tenant_id, task_id, url, event, payload FROM new)
      INSERT INTO units (id, tenant_id, queue, status, session_id, task_id)
      SELECT id, tenant_id, 'deliveries', 'waiting', session_id, task_id FROM new`,
    values: [
      deliveries.map(({ id }) => id),
      deliveries.map(({ tenant_id }) => tenant_id),
      deliveries.map(({ task_id }) => task_id),
      deliveries.map(({ session_id }) => session_id),
      deliveries.map(({ url }) => url),
      deliveries.map(({ event }) => event),
      deliveries.map(({ payload }) => JSON.stringify(payload)),
    ],
  });
  return deliveries.map(({ id, tenant_id }) => ({
    queue: 'deliveries',
    tenant_id,
    unit_id: id,
    epoch: 0,
  }));
}
