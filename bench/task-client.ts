import { setTimeout as delay } from 'node:timers/promises';
import { createApiKey } from '@loom/db/read/api-keys';
import { createIntake } from '@loom/runtime/intake';
import type { Foundation } from '@loom/server/open-foundation';
import { errorMessage } from '@loom/shared/app-error';
import { isTerminalTask, type TaskStatus, type Verification } from '@loom/shared/statuses';
import { newTask } from '@loom/testing/builders';

/** Someone who hands tasks in and waits for their ends. */
export interface TaskClient {
  /** Runs one task and returns how many milliseconds it took; a task that is not verified is an error. */
  run(): Promise<number>;
  close(): void;
}

interface Ended {
  id: string;
  status: TaskStatus;
  verification: Verification;
}

const tenant_id = 'default';
/** How late an end is seen at most when a wake-up is lost. */
const pollMs = 1_000;

/** Hears of ends on the wake-up bus and reads them, at most once every `gap_ms`. */
export async function createTaskClient(
  { db, bus, runtime }: Pick<Foundation, 'db' | 'bus' | 'runtime'>,
  { gap_ms }: { gap_ms: number },
): Promise<TaskClient> {
  const key = await createApiKey(db, {
    key: 'bench',
    name: 'bench',
    scopes: ['user'],
    tenant: tenant_id,
  });
  const caller = { tenant_id, actor: key.id };
  const intake = createIntake(runtime);
  const waiting = new Map<string, { resolve(): void; reject(error: Error): void }>();
  let looking = false;
  let again = false;

  const settle = ({ id, status, verification }: Ended): void => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (status === 'completed' && verification === 'verified') waiter?.resolve();
    else waiter?.reject(new Error(`task ${id} ended ${status}, ${verification}`));
  };
  const look = async (): Promise<void> => {
    again = true;
    if (looking) return;
    looking = true;
    try {
      while (again && waiting.size > 0) {
        again = false;
        const { rows } = await db.pool.query<Ended>({
          name: 'bench-ended',
          text: 'SELECT id, status, verification FROM tasks WHERE id = ANY($1)',
          values: [[...waiting.keys()]],
        });
        for (const row of rows) if (isTerminalTask(row.status)) settle(row);
        if (gap_ms > 0) await delay(gap_ms);
      }
    } catch (error) {
      for (const { reject } of waiting.values()) reject(new Error(errorMessage(error)));
      waiting.clear();
    } finally {
      looking = false;
    }
  };
  const unsubscribe = bus.subscribe((wake) => {
    if (wake.kind === 'streams' && wake.ids.some((id) => waiting.has(id))) void look();
  });
  const poll = setInterval(() => void look(), pollMs);

  return {
    run: async () => {
      const began = performance.now();
      const { body } = await intake.createTask(caller, task, null);
      await new Promise<void>((resolve, reject) => {
        waiting.set(body.id, { resolve, reject });
        void look();
      });
      return performance.now() - began;
    },
    close: () => {
      clearInterval(poll);
      unsubscribe();
    },
  };
}

const task = newTask({ goal: 'Do the work in parts and put the parts together.' });
