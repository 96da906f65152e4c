import { listActions } from '@loom/db/read/actions';
import { type Evidence, listEvidence } from '@loom/db/read/evidence';
import { getTaskStatus } from '@loom/db/read/tasks';
import { toolEffects } from '@loom/shared/tool';
import { evidenceItemSchema, verdictOutcomes } from '@loom/shared/verdict';
import type { Context } from 'hono';
import { z } from 'zod';
import { accepts } from '../accepts.ts';
import type { GatewayEnv } from '../gateway-deps.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';
import { toCsv } from '../to-csv.ts';

const evidenceSchema = evidenceItemSchema.extend({
  subtask_id: z.string(),
  attempt: z.number().int(),
  kind: z.enum(['check', 'model']),
  outcome: z.enum(verdictOutcomes),
  exit_code: z.number().int().optional(),
  sha256: z.string().optional(),
});

const actionSchema = z.object({
  key: z.string(),
  subtask_id: z.string().nullable(),
  attempt: z.number().int().nullable(),
  tool: z.string(),
  effect: z.enum(toolEffects),
  status: z.enum(['intent', 'done', 'failed', 'in_doubt']),
  arguments: z.json(),
  arguments_cut: z.boolean(),
  exit_code: z.number().int().nullable(),
  files_changed: z.array(z.string()),
  started_at: z.string(),
  ended_at: z.string().nullable(),
});

/** What was done for a task, and what its verdicts rest on. */
export function addTaskRecordRoutes(app: GatewayApp, { db }: GatewayParts): void {
  const common = { tag: 'Tasks', access: 'user', method: 'get', status: 200 } as const;
  const requireEvidence = async (tenant_id: string, task_id: string): Promise<Evidence[]> => {
    const items = await listEvidence(db, { tenant_id, task_id });
    if (items === null) throw notFound('task');
    return items;
  };

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/evidence',
      summary: 'What the verdicts of a task looked at; with `Accept: text/csv`, as a table',
      response: z.object({ items: z.array(evidenceSchema) }),
      csv: true,
    },
    async (c, { params: { id } }) => {
      const items = await requireEvidence(c.get('identity').tenant_id, id);
      c.header('vary', 'accept');
      const isTable = accepts(c, 'text/csv') && !accepts(c, 'application/json');
      return isTable ? sendTable(c, id, items) : c.json({ items });
    },
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/evidence.csv',
      summary: 'The same as a table',
      csv: true,
    },
    async (c, { params: { id } }) =>
      sendTable(c, id, await requireEvidence(c.get('identity').tenant_id, id)),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/actions',
      summary: 'Tool calls of a task with what came of them, oldest first',
      query: listQuerySchema,
      response: pageSchema(actionSchema),
    },
    async (c, { params: { id }, query }) => {
      const key = { tenant_id: c.get('identity').tenant_id, task_id: id };
      if ((await getTaskStatus(db, key)) === null) throw notFound('task');
      return c.json(await listActions(db, { ...key, ...query }));
    },
  );
}

const columns = [
  'subtask_id',
  'attempt',
  'kind',
  'claim',
  'source',
  'quote',
  'outcome',
  'exit_code',
  'sha256',
] as const;

function sendTable(c: Context<GatewayEnv>, taskId: string, items: Evidence[]): Response {
  const rows = items.map((item) => columns.map((column) => item[column]));
  return c.body(toCsv([...columns], rows), 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${taskId}-evidence.csv"`,
  });
}
