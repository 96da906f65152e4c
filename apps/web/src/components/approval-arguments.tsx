import type { Approval } from '@loom/shared/approval';
import { useId } from 'react';

interface ApprovalArgumentsProps {
  approval: Approval;
  /** What the person made of the arguments; null while they are as asked. */
  edited: string | null;
  problem: string | null;
  onEdit: (text: string | null) => void;
}

/** What is to be allowed, to be read and, where that makes sense, to be changed. */
export function ApprovalArguments({ approval, edited, problem, onEdit }: ApprovalArgumentsProps) {
  const problemId = useId();
  const asked = JSON.stringify(approval.arguments, null, 2);
  const canEdit = approval.kind === 'tool' || approval.kind === 'budget';
  if (edited === null) {
    if (asked === '{}') return null;
    return (
      <div className="group relative">
        <pre className="wrap-anywhere max-h-72 overflow-y-auto whitespace-pre-wrap rounded-xl border border-line bg-sunken px-3.5 py-2.5 pr-16 font-mono text-xs leading-relaxed">
          {showArguments(approval.arguments)}
        </pre>
        {canEdit && (
          <button
            type="button"
            data-testid="edit-arguments"
            onClick={() => onEdit(asked)}
            className="absolute top-1.5 right-1.5 rounded-md border border-line bg-surface px-2 py-0.5 text-soft text-xs hover:bg-hover hover:text-ink"
          >
            Edit
          </button>
        )}
      </div>
    );
  }
  return (
    <div>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the field appears because its button was pressed
        autoFocus
        value={edited}
        onChange={(event) => onEdit(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onEdit(null)}
        rows={Math.min(16, edited.split('\n').length + 1)}
        spellCheck={false}
        aria-label="Arguments as JSON"
        aria-invalid={problem !== null}
        aria-describedby={problemId}
        data-testid="arguments"
        className="block w-full resize-y rounded-xl border border-line-strong bg-canvas px-3.5 py-2.5 font-mono text-xs leading-relaxed aria-invalid:border-bad"
      />
      <p id={problemId} className="mt-1.5 flex items-start gap-3 text-xs">
        <span role="status" className="wrap-anywhere min-w-0 flex-1 text-bad">
          {problem}
        </span>
        <button
          type="button"
          onClick={() => onEdit(null)}
          className="text-soft underline underline-offset-3 hover:text-ink"
        >
          Undo changes
        </button>
      </p>
    </div>
  );
}

/** A lone text, such as a command, as it is; anything else as JSON. */
function showArguments(args: Approval['arguments']): string {
  const values = args !== null && typeof args === 'object' ? Object.values(args) : [];
  const [first] = values;
  if (values.length === 1 && typeof first === 'string') return first;
  return JSON.stringify(args, null, 2);
}
