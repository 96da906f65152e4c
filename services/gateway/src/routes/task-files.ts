import { storableString } from '@loom/shared/text';
import { z } from 'zod';
import { accepts } from '../accepts.ts';
import { toCaller } from '../access.ts';
import { diffTaskFiles } from '../files/diff-task-files.ts';
import { listTaskFiles } from '../files/list-task-files.ts';
import { revertActions, revertTask } from '../files/revert-task.ts';
import { fileStatuses } from '../files/sum-changes.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { idempotencyHeader, markReplayed, readIdempotency } from '../idempotency.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { decodeOffset, encodeOffset } from '../offset-cursor.ts';
import { addRoute, type GatewayApp } from '../route.ts';

const pathSchema = storableString({ min: 1, max: 4_096 });
const idSchema = storableString({ min: 1, max: 300 });
const statusSchema = z.enum(fileStatuses);

const changedFileSchema = z.object({
  path: z.string(),
  status: statusSchema,
  before_hash: z.string().nullable(),
  after_hash: z.string().nullable(),
  before_size: z.number().int().nullable(),
  after_size: z.number().int().nullable(),
  changes: z.array(
    z.object({
      call_key: z.string(),
      tool: z.string(),
      subtask_id: z.string().nullable(),
      attempt: z.number().int().nullable(),
      at: z.string(),
      status: z.enum(['open', 'done']),
    }),
  ),
  revertible: z.boolean(),
  reason: z.string().nullable(),
});

const fileDiffSchema = z.object({ path: z.string(), status: statusSchema, diff: z.string() });

const revertSchema = z.strictObject({
  path: pathSchema.optional(),
  subtask_id: idSchema.optional(),
  revert_id: idSchema.optional(),
});

const revertedSchema = z.object({
  revert_id: z.string(),
  reverted: z.array(z.object({ path: z.string(), action: z.enum(revertActions) })),
  unchanged: z.array(z.string()),
});

/** What a task did to files: to be seen, and to be taken back. */
export function addTaskFileRoutes(app: GatewayApp, { db, bus }: GatewayParts): void {
  const common = { tag: 'Tasks', access: 'user', status: 200 } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/tasks/{id}/files',
      summary: 'Files that a task changed, by path, with whether each can be put back',
      query: listQuerySchema.extend({ subtask_id: idSchema.optional() }),
      response: pageSchema(changedFileSchema),
    },
    async (c, { params: { id }, query: { limit, cursor, subtask_id } }) => {
      const { tenant_id } = c.get('identity');
      const offset = decodeOffset(cursor);
      const scope = { tenant_id, task_id: id, subtask_id };
      const { items, total } = await listTaskFiles(db.pool, scope, { offset, limit });
      const next = offset + items.length;
      return c.json({ items, next_cursor: next < total ? encodeOffset(next) : null });
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/tasks/{id}/diff',
      summary:
        'What a task changed in files, as unified diffs; with `Accept: text/x-diff`, one patch for `git apply`',
      query: z.object({ path: pathSchema.optional(), subtask_id: idSchema.optional() }),
      response: z.object({ items: z.array(fileDiffSchema) }),
      text: ['text/x-diff', 'text/plain'],
    },
    async (c, { params: { id }, query }) => {
      const { tenant_id } = c.get('identity');
      const items = await diffTaskFiles(db.pool, { tenant_id, task_id: id, ...query });
      c.header('vary', 'accept');
      const asPatch = accepts(c, 'text/x-diff') || accepts(c, 'text/plain');
      if (!asPatch || accepts(c, 'application/json')) return c.json({ items });
      const type = accepts(c, 'text/x-diff') ? 'text/x-diff' : 'text/plain';
      return c.body(items.map(({ diff }) => diff).join(''), 200, {
        'content-type': `${type}; charset=utf-8`,
      });
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/tasks/{id}/revert',
      summary:
        'Put files back to how they were before a task, one of its subtasks, or an earlier revert; all or none',
      body: revertSchema,
      headers: idempotencyHeader,
      response: revertedSchema,
    },
    async (c, { params: { id }, body }) => {
      const caller = toCaller(c.get('identity'));
      const idempotency = readIdempotency(c, body);
      const asked = { task_id: id, ...body };
      const { accepted, told } = await revertTask(db, { caller, asked, idempotency });
      if (told !== null) bus.publish({ kind: 'streams', ids: [told] });
      markReplayed(c, accepted.replayed);
      return c.json(accepted.body);
    },
  );
}
