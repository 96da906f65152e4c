import type { SubtaskStatus, TaskStatus } from '@loom/shared/statuses';
import type { DoubtfulCall, Remediation, TaskState } from '@loom/shared/task-state';

const marks: Partial<Record<SubtaskStatus, string>> = {
  completed: '[x]',
  failed: '[!]',
  skipped: '[-]',
  blocked: '[-]',
};

const verificationLines: Record<TaskState['verification'], string> = {
  verified: 'every subtask was verified',
  partly_verified: 'some of the work could not be verified',
  unverified: 'the work was not verified',
  failed: 'verification failed',
};

/** The report of an ended task, as people and the delegating model read it. */
export function summariseTask(state: TaskState): string {
  const lines = [`Task ${ended(state.status)}: "${state.goal}"`];
  if (state.subtasks.length > 0) {
    lines.push('', 'Subtasks:');
    for (const { status, spec, summary, error } of state.subtasks) {
      const outcome = status === 'completed' ? summary : (error?.message ?? null);
      const note = outcome ? ` — ${shorten(outcome)}` : '';
      lines.push(`  ${marks[status] ?? '[ ]'} ${spec.id}: ${shorten(spec.description)}${note}`);
    }
  }
  if (state.files_changed.length > 0) {
    lines.push('', 'Files changed:', ...state.files_changed.map((path) => `  - ${path}`));
  }
  const actions = Object.entries(state.course.actions).map(([tool, count]) => `${tool} ×${count}`);
  if (actions.length > 0) lines.push('', `Actions: ${actions.join(', ')}`);
  if (state.course.in_doubt.length > 0) {
    lines.push('', 'In doubt (it is not known whether these calls took effect):');
    lines.push(...state.course.in_doubt.map(doubtLine));
  }
  const followUps = state.course.remediations.filter((item) => isLeft(item, state));
  if (followUps.length > 0) {
    lines.push('', 'Follow-ups:', ...followUps.map(followUpLine));
  }
  if (state.errors.length > 0) {
    lines.push('', 'Errors:', ...state.errors.map(({ message }) => `  - ${shorten(message)}`));
  }
  lines.push('', `Verification: ${state.verification} (${verificationLines[state.verification]})`);
  return lines.join('\n');
}

/** A repair that failed is no longer left to do when another plan completed its subtask. */
function isLeft({ status, blocking, subtask_id }: Remediation, { subtasks }: TaskState): boolean {
  if (status === 'resolved') return false;
  return (
    !blocking || subtasks.some(({ id, status }) => id === subtask_id && status !== 'completed')
  );
}

function doubtLine({ subtask_id, tool, shown }: DoubtfulCall): string {
  return `  - ${subtask_id}: ${shorten(`${tool} ${shown}`)}`;
}

function followUpLine(item: Remediation): string {
  const urgency = item.blocking ? 'blocking' : 'open';
  return `  - ${item.subtask_id}: ${item.reason_code} (${urgency}, ${item.terminal_reason ?? item.status})`;
}

function ended(status: TaskStatus): string {
  return status === 'completed' ? 'completed' : status === 'cancelled' ? 'cancelled' : 'failed';
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`;
}
