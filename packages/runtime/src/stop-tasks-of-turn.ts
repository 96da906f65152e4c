import { listWaitingTasks } from '@loom/db/list-waiting-tasks';
import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';

/** A stopped turn takes the tasks that it waits for with it. */
export async function stopTasksOfTurn(
  runtime: Runtime,
  caller: Caller,
  turnId: string,
): Promise<void> {
  const { tenant_id } = caller;
  const tasks = await listWaitingTasks(runtime.db, { tenant_id, turn_id: turnId });
  await Promise.all(
    tasks.map((id) =>
      runtime.committer.add({
        kind: 'control',
        task_id: id,
        tenant_id,
        input: { kind: 'stop_requested', mode: 'cancel', by: caller.actor },
      }),
    ),
  );
}
