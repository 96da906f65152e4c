import type { NewEvent } from '@loom/shared/events';
import type { TaskInput } from '@loom/shared/task-state';
import { patchAttempt, type TaskBatch } from './task-batch.ts';
import type { TaskRow } from './task-rows.ts';

/** Keeps the rows of attempts in step with the events that speak of them. */
export function projectAttempts(
  batch: TaskBatch,
  row: TaskRow,
  events: NewEvent[],
  input: TaskInput,
): void {
  for (const { type, subtask_id, attempt, data } of events) {
    if (subtask_id === undefined || attempt === undefined) continue;
    const patch = { task_id: row.id, subtask_id, number: attempt, tenant_id: row.tenant_id };
    const error = { code: String(data.code), message: String(data.reason ?? data.feedback ?? '') };
    if (type === 'subtask.queued') {
      patchAttempt(batch, { ...patch, status: 'queued', tier: Number(data.tier) });
    } else if (type === 'subtask.started') {
      patchAttempt(batch, { ...patch, status: 'running', started: true });
    } else if (type === 'subtask.verifying') {
      const files_changed = input.kind === 'attempt_done' ? input.files_changed : [];
      const summary = String(data.summary);
      patchAttempt(batch, { ...patch, status: 'verifying', summary, files_changed });
    } else if (type === 'subtask.completed') {
      patchAttempt(batch, { ...patch, status: 'completed', ended: true });
    } else if (type === 'subtask.failed') {
      patchAttempt(batch, { ...patch, status: 'failed', ended: true, error });
    } else if (type === 'subtask.retrying' && data.reopened !== true) {
      patchAttempt(batch, { ...patch, status: 'failed', ended: true, error });
    } else if (type === 'subtask.skipped' || type === 'subtask.outcome_stale') {
      patchAttempt(batch, { ...patch, status: 'cancelled', ended: true });
    }
  }
}
