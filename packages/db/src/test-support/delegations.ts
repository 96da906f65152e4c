import { decideTask } from '@loom/engine/decide-task';
import { configSchema } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import { taskPolicy } from '@loom/shared/task-policy';
import type { TaskInput } from '@loom/shared/task-state';
import { newTask } from '@loom/testing/builders';
import { commitTaskInput } from '../commit-tasks.ts';
import { insertTask } from '../insert-task.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import type { OwnedTurn, TurnWorld } from './turn-world.ts';

/** Tasks that turns of a world wait for. */
export function delegationsIn(world: TurnWorld) {
  const control = (client: Transaction, task_id: string, input: TaskInput) =>
    commitTaskInput(client, { kind: 'control', task_id, tenant_id: 'default', input }, decideTask);

  /** Delegates as a turn does: the call, then its task, for whose result the turn waits or not. */
  const delegate = async (
    turn: OwnedTurn,
    callId: string,
    { wait } = { wait: true },
  ): Promise<string> => {
    const id = newId('task');
    const tool_calls = [{ id: callId, name: 'delegate_task', arguments: { goal: 'g' } }];
    await world.commit(turn, { messages: [{ role: 'assistant', content: '', tool_calls }] });
    await world.commit(turn, {}, async (client) => {
      const task = newTask({ goal: 'g', session_id: turn.session_id });
      const origin = {
        id,
        tenant_id: 'default',
        turn_id: turn.turn_id,
        tool_call_id: callId,
        turn_waits: wait,
        depth: 0,
        max_parallel: 5,
        policy: taskPolicy(configSchema.parse({}), { in_session: true }),
      };
      await insertTask(client, task, origin);
      await control(client, id, { kind: 'created', plan: null });
    });
    return id;
  };

  /** Ends a task the quick way; returns what is to be rung. */
  const endTask = async (taskId: string) => {
    const input = { kind: 'stop_requested', mode: 'abort', by: 'test' } as const;
    const { after } = await inTransaction(world.database, (client) =>
      control(client, taskId, input),
    );
    return after.rings;
  };

  /** Takes an ended task up again. */
  const retry = (taskId: string) => {
    const wanted = { by: 'test', subtask_id: null, reuse_plan: true };
    return inTransaction(world.database, (client) =>
      control(client, taskId, { kind: 'retry_requested', ...wanted }),
    );
  };

  return { delegate, endTask, retry };
}
