import type { Database } from '@loom/db/database';
import { type ControlState, getControlState } from '@loom/db/read/control-state';
import type { Caller } from '@loom/shared/intake';
import type { Context } from 'hono';
import { toCaller } from './access.ts';
import type { GatewayEnv } from './gateway-deps.ts';
import { requireTask } from './require-task.ts';
import { notFound } from './route.ts';

/** Where a task stands, or a 404. */
export async function requireState(
  db: Database,
  { tenant_id }: { tenant_id: string },
  taskId: string,
): Promise<ControlState> {
  const state = await getControlState(db, { tenant_id, task_id: taskId });
  if (state === null) throw notFound('task');
  return state;
}

interface ControlRequest {
  task_id: string;
  /** Refuses what can no longer be done; what comes too late after that is ignored by the engine. */
  check(state: ControlState): void;
  ask(caller: Caller): Promise<unknown>;
}

/** Looks before it asks, asks, and answers with the task as it then stands. */
export async function controlTask(
  c: Context<GatewayEnv>,
  db: Database,
  { task_id, check, ask }: ControlRequest,
): Promise<Response> {
  const caller = toCaller(c.get('identity'));
  check(await requireState(db, caller, task_id));
  await ask(caller);
  return c.json(await requireTask(db, caller, task_id), 202);
}
