import type { TaskState } from '@loom/shared/task-state';
import { firstLine } from '@loom/shared/text';

const maxShown = 20;

/** What a delegating model reads of its ended task: the report and, unless it completed, what was tried and how to go on. */
export function delegationAnswer(taskId: string, state: TaskState): string {
  const report = state.summary ?? `Task ${state.status}.`;
  if (state.status === 'completed') return report;
  const parts = [report, triedPart(state), codesPart(state), wayOn(taskId, state)];
  return parts.filter((part) => part !== '').join('\n\n');
}

function triedPart({ subtasks }: TaskState): string {
  const tried = subtasks.filter(({ status, attempts }) => status !== 'completed' && attempts > 0);
  if (tried.length === 0) return '';
  const lines = tried.slice(0, maxShown).map(({ id, attempts, error, feedback }) => {
    const times = attempts === 1 ? 'once' : `${attempts} times`;
    const found = feedback === null ? '' : `; the last check said: ${firstLine(feedback, 200)}`;
    return `  - ${id}: tried ${times}${error === null ? '' : ` (${error.code})`}${found}`;
  });
  const more = tried.length > maxShown ? [`  - and ${tried.length - maxShown} more`] : [];
  return ['What was tried:', ...lines, ...more].join('\n');
}

function codesPart({ errors }: TaskState): string {
  const codes = [...new Set(errors.map(({ code }) => code))].slice(0, maxShown);
  return codes.length === 0 ? '' : `Failure codes: ${codes.join(', ')}`;
}

function wayOn(taskId: string, { status }: TaskState): string {
  if (status === 'cancelled') {
    return 'To go on: it was stopped on purpose, so start it again only if the user wants it.';
  }
  return `To go on: delegate what failed again with a goal that avoids this, do it yourself, or ask the user. The user can also retry task ${taskId}, which runs only what failed.`;
}
