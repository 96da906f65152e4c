import type { Database } from '@loom/db/database';
import { loadFilesChanged } from '@loom/db/load-attempt';
import type { TaskInput } from '@loom/shared/task-state';
import { cutText } from '@loom/shared/text';
import type { ClaimedUnit } from '@loom/shared/work';

const maxSummary = 4_000;

/** What an attempt's last words mean for its task: the claim, and the files its calls really changed. */
export async function attemptEnd(
  db: Database,
  unit: ClaimedUnit,
  text: string,
  anyCalls: boolean,
): Promise<TaskInput> {
  return {
    kind: 'attempt_done',
    subtask_id: unit.subtask_id ?? '',
    attempt: unit.attempt ?? 0,
    summary: text.trim() === '' ? '(no summary was given)' : cutText(text, maxSummary),
    files_changed: anyCalls ? await loadFilesChanged(db, unit) : [],
  };
}
