import { getSession } from '@loom/db/read/sessions';
import type { CreateTask } from '@loom/shared/api';
import type { NewTask } from '@loom/shared/intake';
import { checkCallbackUrl } from '@loom/tools/net/check-url';
import type { GatewayParts } from './gateway-parts.ts';
import { parsePhases, parsePlan } from './parse-plan.ts';
import { invalidField } from './problem.ts';
import { resolveReadRoots } from './resolve-read-roots.ts';
import {
  resolveUsedWorkspace,
  resolveWorkspace,
  type WorkspaceRules,
} from './resolve-workspace.ts';
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
  const phases = parsePhases(body.phases);
  if (body.phase_mode === 'strict' && phases.length === 0) {
    throw invalidField('phases', 'must not be empty when phase_mode is "strict"');
  }
  const callback_url = body.callback_url ?? null;
  requireCallable(callback_url, config.allow_private_callbacks);
  const session_id = body.session_id ?? null;
  const session =
    session_id === null ? null : await getSession(db, { tenant_id: tenantId, session_id });
  if (session_id !== null && session === null) throw notFound('session');
  return {
    goal: body.goal,
    context: body.context ?? {},
    workspace: await workspaceOf(body, session?.workspace ?? null, config),
    read_roots: await resolveReadRoots(body.read_roots ?? [], 'read_roots', config),
    process: null,
    approval_mode: body.approval_mode ?? session?.approval_mode ?? null,
    // Phases that nothing else was said about bind the planner loosely, as a process would.
    phase_mode: body.phase_mode ?? (phases.length === 0 ? null : 'guided'),
    phases,
    critical_path_behavior: body.critical_path_behavior ?? null,
    callback_url,
    budget: body.budget ?? {},
    metadata: body.metadata ?? {},
    session_id,
    plan,
  };
}

async function workspaceOf(
  { workspace }: CreateTask,
  ofSession: string | null,
  rules: WorkspaceRules,
): Promise<string> {
  const isInherited = workspace === undefined && ofSession !== null;
  return isInherited ? resolveUsedWorkspace(ofSession, rules) : resolveWorkspace(workspace, rules);
}

function requireCallable(url: string | null, allowPrivate: boolean): void {
  const refusal = url === null ? null : checkCallbackUrl(url, allowPrivate);
  if (refusal !== null) throw invalidField('callback_url', refusal);
}
