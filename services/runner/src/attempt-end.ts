import type { TaskInput } from '@loom/shared/task-state';
import { cutText } from '@loom/shared/text';
import type { ClaimedUnit } from '@loom/shared/work';

const maxSummary = 4_000;
const maxDiscoveries = 20;

/** What an attempt says of itself at its end. */
interface AttemptClaim {
  summary: string;
  discoveries: readonly string[];
}

/** What an attempt's last words mean for its task: the claim, and what its calls really did. */
export function attemptEnd(
  unit: ClaimedUnit,
  { summary, discoveries }: AttemptClaim,
  deeds: { files_changed: string[]; discoveries: string[] },
): TaskInput {
  return {
    kind: 'attempt_done',
    subtask_id: unit.subtask_id ?? '',
    attempt: unit.attempt ?? 0,
    summary: summary.trim() === '' ? '(no summary was given)' : cutText(summary, maxSummary),
    files_changed: deeds.files_changed,
    discoveries: [...new Set([...deeds.discoveries, ...discoveries])].slice(0, maxDiscoveries),
  };
}
