import { getSession, listSessions } from '@loom/db/read/sessions';
import { recallMessages } from '@loom/db/recall';
import {
  createSessionSchema,
  recallAnswerSchema,
  recallRequestSchema,
  sessionSchema,
} from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import { budgetSchema } from '@loom/shared/budget';
import { storableString } from '@loom/shared/text';
import { z } from 'zod';
import { toCaller } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { idempotencyHeader, markReplayed, readIdempotency } from '../idempotency.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { requireModel } from '../require-model.ts';
import { resolveReadRoots } from '../resolve-read-roots.ts';
import {
  dropUnused,
  resolveWorkspace,
  spellingsOf,
  type WorkspaceRules,
} from '../resolve-workspace.ts';
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
      const grants = await resolveGrants(body.grants ?? {}, config);
      const workspace = await resolveWorkspace(body.workspace, config);
      const accepted = await intake.createSession(
        toCaller(c.get('identity')),
        { ...body, grants, workspace },
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
      path: '/api/sessions/{id}/budget',
      summary: 'Replace the limits of a session',
      body: z.strictObject({ budget: budgetSchema }),
      status: 200,
      response: sessionWithCursorSchema,
    },
    async (c, { params, body }) => {
      const caller = toCaller(c.get('identity'));
      const key = { tenant_id: caller.tenant_id, session_id: params.id };
      const session = await getSession(db, key);
      if (session === null) throw notFound('session');
      if (session.status === 'ended') {
        throw new AppError('session_ended', 'The session has ended; nothing more is spent in it.');
      }
      await intake.setSessionBudget(caller, params.id, body.budget);
      return c.json(await getSession(db, key));
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

type Grants = NonNullable<z.infer<typeof createSessionSchema>['grants']>;

/** The grants as they are stored: with the real paths of what may be read. */
async function resolveGrants(grants: Grants, rules: WorkspaceRules): Promise<Grants> {
  if (grants.read_roots === undefined) return grants;
  const read_roots = await resolveReadRoots(grants.read_roots, 'grants.read_roots', rules);
  return { ...grants, read_roots };
}
