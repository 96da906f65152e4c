import { listMemory } from '@loom/db/memory/list-memory';
import { getTaskStatus } from '@loom/db/read/tasks';
import { memoryEntrySchema } from '@loom/shared/memory';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

/** What was learnt in a task. */
export function addMemoryRoutes(app: GatewayApp, { db }: GatewayParts): void {
  addRoute(
    app,
    {
      tag: 'Tasks',
      access: 'user',
      method: 'get',
      status: 200,
      path: '/api/tasks/{id}/memory',
      summary: 'What was learnt from the subtasks of a task, oldest first',
      query: listQuerySchema,
      response: pageSchema(memoryEntrySchema),
    },
    async (c, { params: { id }, query }) => {
      const key = { tenant_id: c.get('identity').tenant_id, task_id: id };
      if ((await getTaskStatus(db, key)) === null) throw notFound('task');
      return c.json(await listMemory(db, { ...key, ...query }));
    },
  );
}
