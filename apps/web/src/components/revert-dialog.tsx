import { AppError } from '@loom/shared/app-error';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangedFile, revertFiles } from '../http/task-files.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface RevertDialogProps {
  taskId: string;
  files: ChangedFile[];
  /** The one file that is meant; absent: all that the task changed. */
  path?: string;
  onClose: () => void;
}

const actions: Record<ChangedFile['status'], string> = {
  created: 'is removed',
  modified: 'gets its old content back',
  deleted: 'is made again',
  unchanged: 'stays as it is',
};

/** Asks before files are put back, and says what stood in the way. */
export function RevertDialog({ taskId, files, path, onClose }: RevertDialogProps) {
  const queries = useQueryClient();
  const revert = useMutation({
    mutationFn: () => revertFiles(taskId, path),
    onSettled: () => queries.invalidateQueries({ queryKey: ['task-files', taskId] }),
  });
  const done = revert.data;
  return (
    <Dialog
      testId="revert-dialog"
      title={path === undefined ? 'Revert everything this task changed?' : `Revert ${path}?`}
      onClose={onClose}
      footer={
        done ? (
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button
              look="danger"
              data-testid="revert-confirm"
              disabled={revert.isPending}
              onClick={() => revert.mutate()}
            >
              {revert.isError ? 'Try again' : 'Revert'}
            </Button>
            <Button onClick={onClose}>Keep the changes</Button>
          </>
        )
      }
    >
      <div className="space-y-3 px-4 py-3 text-sm">
        {done ? (
          <p role="status" data-testid="revert-done">
            {done.reverted.length === 0
              ? 'Nothing was left to be put back.'
              : `Put back: ${done.reverted.map((file) => `${file.path} (${file.action})`).join(', ')}.`}
          </p>
        ) : revert.isError ? (
          <Refusal error={revert.error} />
        ) : (
          <ul className="space-y-1">
            {files.map((file) => (
              <li key={file.path} className="wrap-anywhere">
                <code className="font-mono text-[13px]">{file.path}</code>{' '}
                {file.revertible ? (
                  <span className="text-faint">{actions[file.status]}</span>
                ) : (
                  <span className="text-warn">{file.reason}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

function Refusal({ error }: { error: Error }) {
  const details = error instanceof AppError ? error.details : {};
  const errors = (details.errors ?? []) as { path: string; message: string }[];
  return (
    <div
      role="alert"
      data-testid="revert-refused"
      className="wrap-anywhere rounded-xl bg-bad-soft px-3.5 py-2.5 text-bad"
    >
      {errors.length === 0 ? error.message : 'Nothing was reverted:'}
      {errors.map(({ path, message }) => (
        <p key={path}>
          <code className="font-mono text-[13px]">{path}</code>: {message}
        </p>
      ))}
    </div>
  );
}
