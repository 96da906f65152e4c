import { getTurnStart } from '@loom/db/read/events';
import { getTurn } from '@loom/db/read/turns';
import { createTurnSchema, turnAcceptedSchema, turnSchema } from '@loom/shared/api';
import { accepts } from '../accepts.ts';
import { toCaller } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { idempotencyHeader, markReplayed, readIdempotency } from '../idempotency.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';
import { viewTurn } from '../stream/log-views.ts';

/** Saying something in a session, and what became of it. */
export function addTurnRoutes(app: GatewayApp, { db, intake, streams }: GatewayParts): void {
  const common = { tag: 'Turns', access: 'user' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/sessions/{id}/turns',
      summary: 'Say something; with `Accept: text/event-stream`, and follow the turn',
      body: createTurnSchema,
      headers: idempotencyHeader,
      status: 202,
      response: turnAcceptedSchema,
      stream: true,
    },
    async (c, { params, body }) => {
      const caller = toCaller(c.get('identity'));
      const idempotency = readIdempotency(c, body);
      const accepted = await intake.acceptTurn(caller, params.id, body, idempotency);
      markReplayed(c, accepted.replayed);
      if (!accepts(c, 'text/event-stream')) return c.json(accepted.body, 202);
      const key = { tenant_id: caller.tenant_id, ...accepted.body };
      return streams.open(c, viewTurn(db, key), { after: await getTurnStart(db, key) });
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/sessions/{id}/turns/{turn_id}',
      summary: 'A turn with its messages',
      status: 200,
      response: turnSchema,
    },
    async (c, { params }) => {
      const { tenant_id } = c.get('identity');
      const turn = await getTurn(db, { tenant_id, session_id: params.id, turn_id: params.turn_id });
      if (turn === null) throw notFound('turn');
      return c.json(turn);
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/sessions/{id}/turns/{turn_id}/cancel',
      summary: 'Ask a turn to stop',
      status: 202,
      response: turnSchema,
    },
    async (c, { params }) => {
      const caller = toCaller(c.get('identity'));
      await intake.cancelTurn(caller, params.id, params.turn_id);
      const key = { session_id: params.id, turn_id: params.turn_id };
      return c.json(await getTurn(db, { tenant_id: caller.tenant_id, ...key }), 202);
    },
  );
}
