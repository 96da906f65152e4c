import type { Caller, Idempotency } from '@loom/shared/intake';
import type { FileAfter } from '@loom/shared/tool';
import { appendToSessions, lockSessions } from '../append-to-sessions.ts';
import { answerOnce } from '../idempotency.ts';
import { appendAudit } from '../read/audit.ts';
import { closeChanges } from './close-changes.ts';
import type { LockedClient } from './workspace-lock.ts';

/** What a revert of a task's changes came to. */
export interface RevertRecord<Body> {
  caller: Caller;
  revert_id: string;
  /** What was asked for, for the audit log. */
  asked: Record<string, string>;
  task_id: string;
  session_id: string | null;
  changes: { key: string; changes: FileAfter[] }[];
  idempotency: Idempotency | null;
  body: Body;
}

const maxPathsTold = 200;

/**
 * Writes down a revert that has happened: its changes are closed, the session and the audit log are
 * told, and the answer is kept, all or nothing. The task's own log stays as it is: its end is last.
 */
export async function recordRevert<Body>(
  client: LockedClient,
  record: RevertRecord<Body>,
): Promise<void> {
  const { caller, idempotency, body } = record;
  await client.query('BEGIN');
  try {
    await answerOnce(client, caller.tenant_id, idempotency, async () => {
      await closeChanges(client, record.changes);
      await tellSession(client, record);
      await appendAudit(client, {
        tenant_id: caller.tenant_id,
        actor: caller.actor,
        action: 'files.revert',
        target: record.task_id,
        detail: { revert_id: record.revert_id, ...record.asked, ...whatChanged(record) },
      });
      return { status: 200, body };
    });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function tellSession(
  client: LockedClient,
  record: Omit<RevertRecord<unknown>, 'body'>,
): Promise<void> {
  const { session_id, task_id, revert_id, caller, changes } = record;
  if (session_id === null || changes.length === 0) return;
  const session = (await lockSessions(client, [session_id])).get(session_id);
  if (session === undefined) return;
  const data = { revert_id, ...whatChanged(record), by: caller.actor };
  const event = { type: 'files.reverted', data } as const;
  const lines = [{ kind: 'event', event, turn_id: null, task_id } as const];
  await appendToSessions(client, [{ session, lines, tokens: 0 }]);
}

function whatChanged({ changes }: Pick<RevertRecord<unknown>, 'changes'>) {
  const paths = changes.flatMap((change) => change.changes.map(({ path }) => path));
  return { files: paths.length, paths: paths.slice(0, maxPathsTold) };
}
