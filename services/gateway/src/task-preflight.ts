import { getSession } from '@loom/db/read/sessions';
import type { CreateTask } from '@loom/shared/api';
import type { NewTask } from '@loom/shared/intake';
import type { GatewayParts } from './gateway-parts.ts';
import { parsePlan } from './parse-plan.ts';
import { invalidField } from './problem.ts';
import { resolveWorkspace } from './resolve-workspace.ts';
import { notFound } from './route.ts';

/** Finds out before anything is written whether a task could run at all. */
export async function preflightTask(
  { db, config }: Pick<GatewayParts, 'db' | 'config'>,
  tenantId: string,
  body: CreateTask,
): Promise<NewTask> {
  if (body.process !== undefined) {
    throw invalidField('process', `names "${body.process}", but no processes are installed`);
  }
  const plan = parsePlan(body.plan);
  const session_id = body.session_id ?? null;
  const session =
    session_id === null ? null : await getSession(db, { tenant_id: tenantId, session_id });
  if (session_id !== null && session === null) throw notFound('session');
  return {
    goal: body.goal,
    context: body.context ?? {},
    workspace: await resolveWorkspace(body.workspace ?? session?.workspace ?? undefined, config),
    process: null,
    approval_mode: body.approval_mode ?? 'auto',
    callback_url: body.callback_url ?? null,
    budget: body.budget ?? {},
    metadata: body.metadata ?? {},
    session_id,
    plan,
  };
}
