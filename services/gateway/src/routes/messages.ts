import { listMessages } from '@loom/db/read/messages';
import { getSession } from '@loom/db/read/sessions';
import { messageSchema } from '@loom/shared/api';
import { z } from 'zod';
import { exportSession } from '../archive/export-session.ts';
import { jsonlForm } from '../archive/jsonl-form.ts';
import { markdownForm } from '../archive/markdown-form.ts';
import { sendPieces } from '../archive/send-pieces.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { limitSchema, numberTextSchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const exportForms = { jsonl: jsonlForm, markdown: markdownForm };

/** The verbatim transcript: in pages, or all of it at once. */
export function addMessageRoutes(app: GatewayApp, { db, logger }: GatewayParts): void {
  addRoute(
    app,
    {
      method: 'get',
      path: '/api/sessions/{id}/messages',
      tag: 'Sessions',
      summary:
        'Messages in order; with `before` alone, the newest ones before it, and `next_cursor` is the next `before`',
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

  addRoute(
    app,
    {
      method: 'get',
      path: '/api/sessions/{id}/export',
      tag: 'Sessions',
      summary:
        'The whole session as a file: `jsonl` (an object with `session`, then each message), or `markdown` to read',
      access: 'user',
      query: z.object({ format: z.enum(['jsonl', 'markdown']).default('jsonl') }),
      status: 200,
      text: ['application/x-ndjson', 'text/markdown'],
    },
    async (c, { params, query }) => {
      const { tenant_id } = c.get('identity');
      const found = await getSession(db, { tenant_id, session_id: params.id });
      if (found === null) throw notFound('session');
      const { last_seq: _, ...session } = found;
      const form = exportForms[query.format];
      return sendPieces(c, exportSession(db, { tenant_id, session, form }), {
        logger,
        headers: {
          'content-type': form.content_type,
          'content-disposition': `attachment; filename="${session.id}.${form.extension}"`,
          'cache-control': 'private, no-store',
        },
      });
    },
  );
}
