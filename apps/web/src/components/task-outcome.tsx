import type { TaskView } from '../state/task-view.ts';
import { FileIcon } from './icons.tsx';
import { VerificationLine } from './verification-line.tsx';

const filesShown = 12;

/** What came of a task: how far it is verified, what failed, which files changed, what it cost. */
export function TaskOutcome({ task, isOpen }: { task: TaskView; isOpen: boolean }) {
  const files = task.files_changed;
  return (
    <footer className="space-y-2.5 border-line border-t px-4 py-3">
      <VerificationLine verification={task.verification} />
      {task.errors.map((error) => (
        <p
          key={`${error.code} ${error.subtask_id} ${error.message}`}
          className="wrap-anywhere text-bad text-sm"
        >
          {error.message}
        </p>
      ))}
      {isOpen && files.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label="Files changed">
          {files.slice(0, filesShown).map((file) => (
            <li
              key={file}
              className="wrap-anywhere flex items-center gap-1.5 rounded-md bg-hover px-2 py-0.5 font-mono text-soft text-xs"
            >
              <FileIcon className="size-3.5 text-faint" />
              {file}
            </li>
          ))}
          {files.length > filesShown && (
            <li className="px-1 py-0.5 text-faint text-xs">and {files.length - filesShown} more</li>
          )}
        </ul>
      )}
      {isOpen && (
        <p className="text-faint text-xs tabular-nums">
          {task.budget_used.model_calls} model calls · {task.budget_used.tool_calls} tool calls ·{' '}
          {task.budget_used.tokens.toLocaleString()} tokens
        </p>
      )}
    </footer>
  );
}
