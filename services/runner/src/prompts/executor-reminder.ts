import type { AttemptBrief } from '@loom/db/load-attempt';
import type { ChatMessage } from '@loom/shared/chat';
import { cutText } from '@loom/shared/text';
import { relativePath } from '../write-policy/relative-path.ts';
import type { ContractMode } from './executor.ts';

const maxNamed = 10;

type Known = Pick<AttemptBrief, 'spec' | 'task' | 'files_changed_before'>;

/**
 * Said at the end of every call but the first, so that the goal stays in sight. It is never part of
 * the journal: what was sent before stays the beginning of what is sent next.
 */
export function executorReminder(
  brief: Known,
  journal: readonly ChatMessage[],
  mode: ContractMode,
): ChatMessage[] {
  if (!journal.some(({ role }) => role === 'assistant')) return [];
  const { spec, task } = brief;
  const missing = unwritten(brief, journal).slice(0, maxNamed);
  const ending = mode === 'off' ? 'in plain text with a summary' : 'with the completion block';
  const lines = [
    `Goal of the task: ${cutText(task.goal, 500)}`,
    `Your subtask: ${spec.id} — ${cutText(spec.description, 500)}`,
    ...(missing.length === 0 ? [] : [`No file tool has written yet: ${missing.join(', ')}`]),
    `Go on with what remains of this subtask, and only of this one. When nothing remains, answer ${ending}.`,
  ];
  return [{ role: 'system', content: lines.join('\n') }];
}

/** Deliverables that no call of this or an earlier attempt was to write. */
function unwritten(
  { spec, task, files_changed_before }: Known,
  journal: readonly ChatMessage[],
): string[] {
  const normalise = (path: string) => relativePath(path, task.workspace);
  const written = [...files_changed_before, ...pathsOfCalls(journal)].map(normalise);
  return spec.deliverables.filter((deliverable) => {
    const wanted = normalise(deliverable);
    return !written.some((path) => path === wanted || path.startsWith(`${wanted}/`));
  });
}

const writers = ['write_file', 'edit_file', 'move_file'];

function pathsOfCalls(journal: readonly ChatMessage[]): string[] {
  const calls = journal.flatMap(({ tool_calls }) => tool_calls ?? []);
  return calls.flatMap(({ name, arguments: args }) => {
    if (!writers.includes(name) || args === null || typeof args !== 'object') return [];
    const { path, destination } = args as Record<string, unknown>;
    return [path, destination].filter((one) => typeof one === 'string');
  });
}
