import { getSession } from '@loom/db/read/sessions';
import { getTurnStatus } from '@loom/db/read/turns';
import { loadTurnTodos } from '@loom/db/todos/load-turn-todos';
import { newestTurn } from '@loom/db/todos/newest-turn';
import { storableString } from '@loom/shared/text';
import { todoSchema } from '@loom/shared/todo';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

/** What a turn set out to do, and how far it is. */
export function addTodoRoutes(app: GatewayApp, { db }: GatewayParts): void {
  addRoute(
    app,
    {
      tag: 'Sessions',
      access: 'user',
      method: 'get',
      status: 200,
      path: '/api/sessions/{id}/todos',
      summary: 'Todos of a turn, in order; without `turn_id`, of the turn that began last',
      query: z.object({ turn_id: storableString({ min: 1, max: 300 }).optional() }),
      response: z.object({ items: z.array(todoSchema) }),
    },
    async (c, { params, query }) => {
      const { tenant_id } = c.get('identity');
      const key = { tenant_id, session_id: params.id };
      if ((await getSession(db, key)) === null) throw notFound('session');
      const turn_id = query.turn_id ?? (await newestTurn(db, key));
      if (turn_id === null) return c.json({ items: [] });
      if ((await getTurnStatus(db, { ...key, turn_id })) === null) throw notFound('turn');
      return c.json({ items: await loadTurnTodos(db, { tenant_id, turn_id }) });
    },
  );
}
