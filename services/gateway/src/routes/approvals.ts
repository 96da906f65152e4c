import { getApproval, listApprovals } from '@loom/db/read/approvals';
import { approvalSchema, approvalStatusSchema, decideApprovalSchema } from '@loom/shared/approval';
import { storableString } from '@loom/shared/text';
import { toCaller } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const idSchema = storableString({ max: 300 }).optional();

/** Questions that work waits for, and their answers. */
export function addApprovalRoutes(app: GatewayApp, { db, intake }: GatewayParts): void {
  const common = { tag: 'Approvals', access: 'user', status: 200 } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/approvals',
      summary: 'List approvals, newest first',
      query: listQuerySchema.extend({
        status: approvalStatusSchema.optional(),
        task_id: idSchema,
        session_id: idSchema,
      }),
      response: pageSchema(approvalSchema),
    },
    async (c, { query }) => {
      const { tenant_id } = c.get('identity');
      return c.json(await listApprovals(db, { tenant_id, ...query }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/approvals/{id}',
      summary: 'One approval',
      response: approvalSchema,
    },
    async (c, { params }) => {
      const { tenant_id } = c.get('identity');
      const approval = await getApproval(db, { tenant_id, approval_id: params.id });
      if (approval === null) throw notFound('approval');
      return c.json(approval);
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/approvals/{id}',
      summary: 'Approve or deny, once; a second decision is refused with the first',
      body: decideApprovalSchema,
      response: approvalSchema,
    },
    async (c, { params, body }) =>
      c.json(await intake.decideApproval(toCaller(c.get('identity')), params.id, body)),
  );
}
