import type { TaskView } from '../state/task-view.ts';
import { VerificationLine } from './verification-line.tsx';

/** What came of a task: how far it is verified, what failed, what it cost. */
export function TaskOutcome({ task, isOpen }: { task: TaskView; isOpen: boolean }) {
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
      {isOpen && (
        <p className="text-faint text-xs tabular-nums">
          {task.budget_used.model_calls} model calls · {task.budget_used.tool_calls} tool calls ·{' '}
          {task.budget_used.tokens.toLocaleString()} tokens
        </p>
      )}
    </footer>
  );
}
