import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';

/** A stopped turn takes the tasks that it waits for with it. */
export async function stopTasksOfTurn(
  runtime: Runtime,
  caller: Caller,
  turnId: string,
): Promise<void> {
  const { rows } = await runtime.db.pool.query<{ id: string }>(
    'SELECT id FROM tasks WHERE turn_id = $1 AND tenant_id = $2 AND turn_waits',
    [turnId, caller.tenant_id],
  );
  await Promise.all(
    rows.map(({ id }) =>
      runtime.committer.add({
        kind: 'control',
        task_id: id,
        tenant_id: caller.tenant_id,
        input: { kind: 'stop_requested', mode: 'cancel', by: caller.actor },
      }),
    ),
  );
}
