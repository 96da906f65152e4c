import type { Failure } from '@loom/shared/api';
import { newId } from '@loom/shared/ids';
import { isTerminalTask, type TaskStatus, type Verification } from '@loom/shared/statuses';
import type { NewDelivery } from './insert-deliveries.ts';

interface EndedTask {
  id: string;
  tenant_id: string;
  session_id: string | null;
  callback_url: string | null;
  status: TaskStatus;
  verification: Verification;
  goal: string;
  summary: string | null;
  errors: Failure[];
  files_changed: string[];
  metadata: unknown;
}

/** What is to be told of a task that has just ended; null when nobody asked to be told. */
export function taskDelivery(task: EndedTask, now: Date): NewDelivery | null {
  const { tenant_id, callback_url: url, status } = task;
  if (url === null || !isTerminalTask(status)) return null;
  const { id: task_id, verification, goal, summary, errors, files_changed, metadata } = task;
  const { session_id } = task;
  const end = { id: task_id, status, verification, goal, summary, errors, files_changed };
  return {
    id: newId('dlv', now),
    tenant_id,
    task_id,
    session_id,
    url,
    event: `task.${status as 'completed' | 'failed' | 'cancelled'}`,
    payload: { ...end, metadata, session_id },
  };
}
