import { getLastSeq, listEvents, type StreamKey } from '@loom/db/read/events';
import { getSession } from '@loom/db/read/sessions';
import { getTask } from '@loom/db/read/tasks';
import { eventSchema } from '@loom/shared/events';
import type { Context } from 'hono';
import { z } from 'zod';
import { accepts } from '../accepts.ts';
import type { GatewayEnv } from '../gateway-deps.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { limitSchema, pageSchema } from '../list-query.ts';
import { invalidField } from '../problem.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';
import { resetFrame } from '../stream/event-frame.ts';
import { viewSession, viewTask } from '../stream/log-views.ts';
import { parseCursor } from '../stream/stream-cursor.ts';

// No bounds on the cursor: whatever a client sends is answered by a reset, not by a refusal.
const eventsQuerySchema = z.object({
  after: z.string().optional(),
  cursor: z.string().optional(),
  limit: limitSchema,
});
type EventsQuery = z.infer<typeof eventsQuerySchema>;

/** The logs of tasks and sessions, as streams or as pages. */
export function addEventRoutes(app: GatewayApp, parts: GatewayParts): void {
  for (const kind of ['task', 'session'] as const) {
    addRoute(
      app,
      {
        method: 'get',
        path: `/api/${kind}s/{id}/events`,
        tag: 'Events',
        summary: `The log of a ${kind}: a stream, or with \`Accept: application/json\` a page`,
        access: 'user',
        query: eventsQuerySchema,
        headers: { 'Last-Event-ID': 'The id of the last event seen; wins over `after`.' },
        status: 200,
        response: pageSchema(eventSchema),
        stream: true,
      },
      async (c, { params, query }) => {
        const { tenant_id } = c.get('identity');
        const stream: StreamKey = { kind, id: params.id, tenant_id };
        const lastSeq = await getLastSeq(parts.db, stream);
        if (lastSeq === null) throw notFound(kind);
        const isPage = accepts(c, 'application/json') && !accepts(c, 'text/event-stream');
        return isPage
          ? sendPage(c, parts, stream, query, lastSeq)
          : openStream(c, parts, stream, query, lastSeq);
      },
    );
  }
}

async function sendPage(
  c: Context<GatewayEnv>,
  { db }: GatewayParts,
  stream: StreamKey,
  query: EventsQuery,
  lastSeq: number,
): Promise<Response> {
  const cursor = parseCursor(query.after ?? query.cursor, lastSeq);
  if (cursor.kind === 'unusable') {
    throw invalidField('after', `is unusable: ${cursor.reason.toLowerCase().replace(/\.$/, '')}`);
  }
  const after = cursor.kind === 'after' ? cursor.seq : 0;
  const events = await listEvents(db, stream, { after, limit: query.limit + 1 });
  const items = events.slice(0, query.limit);
  const last = items.at(-1);
  const hasMore = events.length > query.limit && last !== undefined;
  return c.json({ items, next_cursor: hasMore ? String(last.seq) : null });
}

async function openStream(
  c: Context<GatewayEnv>,
  { db, streams, now }: GatewayParts,
  { kind, id, tenant_id }: StreamKey,
  query: EventsQuery,
  lastSeq: number,
): Promise<Response> {
  const log = kind === 'task' ? viewTask(db, tenant_id, id) : viewSession(db, tenant_id, id);
  // An empty header says nothing, so it does not win over a cursor in the address.
  const text = c.req.header('last-event-id') || query.after || query.cursor;
  const cursor = parseCursor(text, lastSeq);
  if (cursor.kind === 'after') return streams.open(c, log, { after: cursor.seq });
  if (cursor.kind === 'none') {
    return streams.open(c, log, { after: kind === 'task' ? 0 : lastSeq });
  }
  // Read after the number, so that the snapshot may be ahead of it but never behind.
  const snapshot =
    kind === 'task'
      ? await getTask(db, { tenant_id, task_id: id })
      : await getSession(db, { tenant_id, session_id: id });
  const ids = kind === 'task' ? { task_id: id } : { session_id: id };
  const reset_frame = resetFrame({ seq: lastSeq, at: now(), reason: cursor.reason, ids, snapshot });
  return streams.open(c, log, { after: lastSeq, reset_frame });
}
