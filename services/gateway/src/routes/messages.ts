import { listMessages } from '@loom/db/read/messages';
import { getSession } from '@loom/db/read/sessions';
import { messageSchema } from '@loom/shared/api';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { limitSchema, numberTextSchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

/** The verbatim transcript, in pages. */
export function addMessageRoutes(app: GatewayApp, { db }: GatewayParts): void {
  addRoute(
    app,
    {
      method: 'get',
      path: '/api/sessions/{id}/messages',
      tag: 'Sessions',
      summary: 'Messages in order; with `before` alone, the newest ones before it',
      access: 'user',
      query: z.object({
        after: numberTextSchema.optional(),
        before: numberTextSchema.optional(),
        cursor: numberTextSchema.optional(),
        limit: limitSchema,
      }),
      status: 200,
      response: pageSchema(messageSchema),
    },
    async (c, { params, query }) => {
      const key = { tenant_id: c.get('identity').tenant_id, session_id: params.id };
      if ((await getSession(db, key)) === null) throw notFound('session');
      const after = query.after ?? query.cursor;
      const { before, limit } = query;
      const { items, has_more } = await listMessages(db, { ...key, after, before, limit });
      const isBackwards = before !== undefined && after === undefined;
      const edge = isBackwards ? items[0] : items.at(-1);
      const next_cursor = has_more && edge !== undefined ? String(edge.number) : null;
      return c.json({ items, next_cursor });
    },
  );
}
