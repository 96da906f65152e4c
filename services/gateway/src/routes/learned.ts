import { forgetRule } from '@loom/db/learned/forget-rule';
import { listLearnedRules } from '@loom/db/learned/list-learned-rules';
import { storableString } from '@loom/shared/text';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { spellingsOf } from '../resolve-workspace.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const learnedRuleSchema = z.object({
  id: z.string(),
  workspace: z.string().nullable().describe('null: it holds in all workspaces of the tenant'),
  rule: z.string(),
  times: z.number().int(),
  created_at: z.string(),
  last_seen_at: z.string(),
});

/** What was learnt from users' corrections: looked through, and forgotten where it is wrong. */
export function addLearnedRoutes(app: GatewayApp, { db, config }: GatewayParts): void {
  const common = { tag: 'Sessions', access: 'user' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/learned',
      summary:
        'Rules learnt from corrections, newest first; with a workspace, those that hold in it',
      query: listQuerySchema.extend({ workspace: storableString({ max: 4_096 }).optional() }),
      status: 200,
      response: pageSchema(learnedRuleSchema),
    },
    async (c, { query: { workspace, ...page } }) => {
      const workspaces = workspace === undefined ? null : await spellingsOf(workspace, config);
      const { tenant_id } = c.get('identity');
      return c.json(await listLearnedRules(db, { tenant_id, workspaces, ...page }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'delete',
      path: '/api/learned/{id}',
      summary: 'Forget a rule; prompts from now on are without it',
      status: 204,
    },
    async (c, { params }) => {
      const { tenant_id, key_id: actor } = c.get('identity');
      const isForgotten = await forgetRule(db, { tenant_id, rule_id: params.id, actor });
      if (!isForgotten) throw notFound('rule');
      return c.body(null, 204);
    },
  );
}
