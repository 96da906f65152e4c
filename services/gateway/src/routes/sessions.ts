import { getSession, listSessions } from '@loom/db/read/sessions';
import { recallMessages } from '@loom/db/recall';
import {
  createSessionSchema,
  recallAnswerSchema,
  recallRequestSchema,
  sessionSchema,
} from '@loom/shared/api';
import { storableString } from '@loom/shared/text';
import { z } from 'zod';
import { toCaller } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { idempotencyHeader, markReplayed, readIdempotency } from '../idempotency.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { requireModel } from '../require-model.ts';
import { dropUnused, resolveWorkspace, spellingsOf } from '../resolve-workspace.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const sessionWithCursorSchema = sessionSchema.extend({ last_seq: z.number().int() });

/** Opening, finding, ending and searching sessions. */
export function addSessionRoutes(app: GatewayApp, parts: GatewayParts): void {
  const { db, intake, config } = parts;
  const common = { tag: 'Sessions', access: 'user' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/sessions',
      summary: 'Open a session',
      body: createSessionSchema,
      headers: idempotencyHeader,
      status: 201,
      response: sessionSchema,
    },
    async (c, { body }) => {
      const idempotency = readIdempotency(c, body);
      requireModel(parts.models, body.model);
      const workspace = await resolveWorkspace(body.workspace, config);
      const accepted = await intake.createSession(
        toCaller(c.get('identity')),
        { ...body, workspace },
        idempotency,
      );
      markReplayed(c, accepted.replayed);
      if (body.workspace === undefined) await dropUnused(workspace, accepted.body.workspace);
      return c.json(accepted.body, 201);
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/sessions',
      summary: 'List sessions, newest first',
      query: listQuerySchema.extend({ workspace: storableString({ max: 4_096 }).optional() }),
      status: 200,
      response: pageSchema(sessionSchema),
    },
    async (c, { query: { workspace, ...page } }) => {
      const workspaces = workspace === undefined ? null : await spellingsOf(workspace, config);
      const { tenant_id } = c.get('identity');
      return c.json(await listSessions(db, { tenant_id, workspaces, ...page }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/sessions/{id}',
      summary: 'One session',
      status: 200,
      response: sessionWithCursorSchema,
    },
    async (c, { params }) => {
      const { tenant_id } = c.get('identity');
      const session = await getSession(db, { tenant_id, session_id: params.id });
      if (session === null) throw notFound('session');
      return c.json(session);
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/sessions/{id}/end',
      summary: 'End a session and its grants',
      status: 200,
      response: sessionWithCursorSchema,
    },
    async (c, { params }) => {
      const caller = toCaller(c.get('identity'));
      await intake.endSession(caller, params.id);
      const { tenant_id } = caller;
      return c.json(await getSession(db, { tenant_id, session_id: params.id }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/sessions/{id}/recall',
      summary: 'Search the archive of a session',
      body: recallRequestSchema,
      status: 200,
      response: recallAnswerSchema,
    },
    async (c, { params, body }) => {
      const key = { tenant_id: c.get('identity').tenant_id, session_id: params.id };
      if ((await getSession(db, key)) === null) throw notFound('session');
      return c.json(await recallMessages(db, { ...key, request: body }));
    },
  );
}
