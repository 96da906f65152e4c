import type { Database } from '@loom/db/database';
import { revertKey, revertTool } from '@loom/db/file-changes/file-change';
import { loadKept } from '@loom/db/file-changes/kept-content';
import { openChanges } from '@loom/db/file-changes/open-changes';
import { recordRevert } from '@loom/db/file-changes/record-revert';
import { type LockedClient, withWorkspaceLock } from '@loom/db/file-changes/workspace-lock';
import { findAnswer } from '@loom/db/find-answer';
import { AppError } from '@loom/shared/app-error';
import { newId } from '@loom/shared/ids';
import type { Accepted, Caller, Idempotency } from '@loom/shared/intake';
import type { FileAfter } from '@loom/shared/tool';
import { applyStep, lookAgain } from './apply-step.ts';
import { type ChosenChanges, readChosen, readView } from './change-view.ts';
import { planFiles } from './plan-files.ts';
import type { RevertStep } from './plan-revert.ts';
import type { RevertScope } from './revert-scope.ts';
import { stillRunning } from './still-running.ts';

export const revertActions = ['restored', 'removed', 'recreated'] as const;

/** What a revert did. */
export interface Reverted {
  revert_id: string;
  reverted: { path: string; action: (typeof revertActions)[number] }[];
  /** Files that are as they were before the changes already. */
  unchanged: string[];
}

interface RevertRequest {
  caller: Caller;
  asked: Omit<RevertScope, 'tenant_id'>;
  idempotency: Idempotency | null;
}

/** An answer, and the session whose log has a new line. */
interface RevertOutcome {
  accepted: Accepted<Reverted>;
  told: string | null;
}

/**
 * Puts files back to how they were before the chosen changes of a task, all or none: everything is
 * checked before the first write. Asked again after a crash in the middle, it does the rest.
 */
export async function revertTask(db: Database, request: RevertRequest): Promise<RevertOutcome> {
  const { caller, asked } = request;
  const scope = { ...asked, tenant_id: caller.tenant_id };
  const { workspace, task } = await readChosen(db.pool, scope);
  return withWorkspaceLock(db, workspace ?? task.id, async (client) => {
    const answer = await findAnswer<Reverted>(client, caller.tenant_id, request.idempotency);
    if (answer !== null) return { accepted: answer, told: null };
    return revertLocked(client, request, await readChosen(client, scope));
  });
}

async function revertLocked(
  client: LockedClient,
  { caller, asked, idempotency }: RevertRequest,
  chosen: ChosenChanges,
): Promise<RevertOutcome> {
  const { task, scope, workspace } = chosen;
  const running = stillRunning(task, scope.subtask_id);
  if (running !== null) {
    const { status } = task;
    throw new AppError('revert_conflict', `Nothing was reverted: ${running}.`, {
      details: { status },
    });
  }
  const paths = [...chosen.changes.keys()];
  const view = await readView(client, chosen, paths);
  const { steps, unchanged } = await planFiles({ scope, workspace: workspace ?? '', view, paths });
  const revert_id = newId('rev');
  const changes = await putBack(client, { revert_id, chosen, steps });
  const reverted = steps.map(({ path, target, found }) => {
    const action = target === null ? 'removed' : found === null ? 'recreated' : 'restored';
    return { path, action } as const;
  });
  const body = { revert_id, reverted, unchanged };
  const { session_id } = task;
  const { task_id, ...narrowed } = asked;
  const record = { caller, revert_id, task_id, session_id, changes, idempotency, body };
  await recordRevert(client, { ...record, asked: narrowed });
  return {
    accepted: { status: 200, body, replayed: false },
    told: changes.length > 0 ? session_id : null,
  };
}

/** Keeps how all files are, then changes them; removals come first, to make room for directories. */
async function putBack(
  client: LockedClient,
  revert: { revert_id: string; chosen: ChosenChanges; steps: RevertStep[] },
): Promise<{ key: string; changes: FileAfter[] }[]> {
  const { revert_id, chosen, steps } = revert;
  const { tenant_id } = chosen.scope;
  const workspace = chosen.workspace ?? '';
  const keyOf = ({ undone }: RevertStep) => revertKey(revert_id, undone[0]?.place ?? 0);
  for (const step of steps) {
    const before = await lookAgain(workspace, step);
    await openChanges(
      client,
      {
        unit: ownerOf(step, chosen, revert_id),
        call_key: keyOf(step),
        tool: revertTool,
        workspace,
      },
      [{ path: step.path, before }],
    );
  }
  const changes: { key: string; changes: FileAfter[] }[] = [];
  for (const step of [...steps].sort(removalsFirst)) {
    const after = await applyStep(workspace, step, (hash) => loadKept(client, tenant_id, hash));
    changes.push({ key: keyOf(step), changes: [{ path: step.path, after }] });
  }
  return changes;
}

function removalsFirst(a: RevertStep, b: RevertStep): number {
  return Number(a.target !== null) - Number(b.target !== null);
}

/** The revert belongs to whatever it undoes, so that it shows among its changes. */
function ownerOf({ undone }: RevertStep, { task, scope }: ChosenChanges, unit_id: string) {
  const subtasks = new Set(undone.map(({ subtask_id }) => subtask_id));
  const [subtask_id = null] = subtasks.size === 1 ? subtasks : [];
  const { session_id, id: task_id } = task;
  const { tenant_id } = scope;
  return { tenant_id, unit_id, task_id, subtask_id, attempt: null, session_id, turn_id: null };
}
