import { getReplayInput } from '@loom/db/read/replay-input';
import { getTaskHead, listTasks } from '@loom/db/read/tasks';
import { compareReplay, foldEvents } from '@loom/engine/fold-events';
import { createTaskSchema, replaySchema, taskListItemSchema, taskSchema } from '@loom/shared/api';
import { taskStatusSchema } from '@loom/shared/statuses';
import { storableString } from '@loom/shared/text';
import { asAccepted } from '../accepted-task.ts';
import { toCaller } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { idempotencyHeader, markReplayed, readIdempotency } from '../idempotency.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { requireTask } from '../require-task.ts';
import { dropUnused } from '../resolve-workspace.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';
import { preflightTask } from '../task-preflight.ts';

/** Handing out tasks and looking at them. */
export function addTaskRoutes(app: GatewayApp, parts: GatewayParts): void {
  const { db, intake } = parts;
  const common = { tag: 'Tasks', access: 'user' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/tasks',
      summary: 'Delegate a task; the answer shows it as it was accepted',
      body: createTaskSchema,
      headers: idempotencyHeader,
      status: 202,
      response: taskSchema,
    },
    async (c, { body }) => {
      const caller = toCaller(c.get('identity'));
      const idempotency = readIdempotency(c, body);
      const input = await preflightTask(parts, caller.tenant_id, body);
      const accepted = await intake.createTask(caller, input, idempotency);
      markReplayed(c, accepted.replayed);
      const { tenant_id } = caller;
      const task = await getTaskHead(db, { tenant_id, task_id: accepted.body.id });
      if (task === null) throw notFound('task');
      if (body.workspace === undefined) await dropUnused(input.workspace, task.workspace);
      return c.json(asAccepted(task), 202);
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/tasks',
      summary: 'List tasks, newest first',
      query: listQuerySchema.extend({
        status: taskStatusSchema.optional(),
        session_id: storableString({ max: 300 }).optional(),
      }),
      status: 200,
      response: pageSchema(taskListItemSchema),
    },
    async (c, { query }) => {
      const { tenant_id } = c.get('identity');
      return c.json(await listTasks(db, { tenant_id, ...query }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/tasks/{id}',
      summary: 'A task with its plans, subtasks, attempts, verdicts and open questions',
      status: 200,
      response: taskSchema,
    },
    async (c, { params }) => c.json(await requireTask(db, c.get('identity'), params.id)),
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/tasks/{id}/replay',
      summary: 'The state that the event log alone gives, compared with the stored one',
      status: 200,
      response: replaySchema,
    },
    async (c, { params }) => {
      const { tenant_id } = c.get('identity');
      const input = await getReplayInput(db, { tenant_id, task_id: params.id });
      if (input === null) throw notFound('task');
      const state = foldEvents(input.events);
      const differences = compareReplay(state, input.stored);
      return c.json({ matches: differences.length === 0, differences, state });
    },
  );
}
