import { isTerminalTask } from '@loom/shared/statuses';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listTaskFiles } from '../http/task-files.ts';
import { writeAddress } from '../state/address.ts';
import type { TaskView } from '../state/task-view.ts';
import { FileStatusSign } from './file-status-sign.tsx';
import { RevertDialog } from './revert-dialog.tsx';

const filesShown = 12;

/** The files that a task has changed so far; each opens to its diff, and all can be put back. */
export function TaskFiles({ task }: { task: TaskView }) {
  const [isWhole, setWhole] = useState(false);
  const [isReverting, setReverting] = useState(false);
  const query = useQuery({
    queryKey: ['task-files', task.id],
    queryFn: ({ signal }) => listTaskFiles(task.id, signal),
  });
  const read = query.data?.items;
  const files = read ?? task.files_changed.map((path) => ({ path, status: null }));
  if (files.length === 0) return null;
  const shown = isWhole ? files : files.slice(0, filesShown);
  const canRevert = isTerminalTask(task.status) && read?.some(({ revertible }) => revertible);
  return (
    <section
      aria-label="Files changed"
      data-testid="task-files"
      className="border-line border-t px-4 py-2.5"
    >
      <header className="mb-1 flex min-h-6 items-center gap-2">
        <h4 className="flex-1 font-medium text-faint text-xs">
          {files.length === 1 ? '1 file changed' : `${files.length} files changed`}
        </h4>
        {canRevert && (
          <button
            type="button"
            data-testid="revert"
            onClick={() => setReverting(true)}
            className="rounded-lg border border-line-strong px-2.5 py-0.5 text-soft text-xs leading-5 hover:bg-hover"
          >
            Revert all…
          </button>
        )}
      </header>
      <ul>
        {shown.map((file) => (
          <li key={file.path}>
            <a
              href={writeAddress({
                session_id: task.session_id,
                file: { task_id: task.id, path: file.path },
              })}
              data-testid="changed-file"
              data-status={file.status}
              className="-mx-2 flex items-center gap-2 rounded-lg px-2 py-0.5 font-mono text-[13px] text-soft leading-6 hover:bg-hover hover:text-ink"
            >
              {file.status && <FileStatusSign status={file.status} />}
              <span className="wrap-anywhere min-w-0">{file.path}</span>
            </a>
          </li>
        ))}
      </ul>
      {shown.length < files.length && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="text-faint text-xs underline underline-offset-3 hover:text-ink"
        >
          Show {files.length - shown.length} more
        </button>
      )}
      {isReverting && read && (
        <RevertDialog taskId={task.id} files={read} onClose={() => setReverting(false)} />
      )}
    </section>
  );
}
