import { errorMessage } from '@loom/shared/app-error';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchDiff, listTaskFiles } from '../http/task-files.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { DiffView } from './diff-view.tsx';
import { FileStatusSign } from './file-status-sign.tsx';
import { Spinner } from './icons.tsx';
import { RevertDialog } from './revert-dialog.tsx';

interface FileDialogProps {
  taskId: string;
  path: string;
  onClose: () => void;
}

/** What a task changed in one file, and a way to take it back. */
export function FileDialog({ taskId, path, onClose }: FileDialogProps) {
  const [isReverting, setReverting] = useState(false);
  const diff = useQuery({
    queryKey: ['task-files', taskId, 'diff', path],
    queryFn: ({ signal }) => fetchDiff(taskId, path, signal),
  });
  const files = useQuery({
    queryKey: ['task-files', taskId],
    queryFn: ({ signal }) => listTaskFiles(taskId, signal),
  });
  const file = files.data?.items.find((candidate) => candidate.path === path);
  return (
    <Dialog
      testId="file-dialog"
      isWide
      onClose={onClose}
      title={
        <span className="flex items-center gap-2">
          {file && <FileStatusSign status={file.status} />}
          <code className="wrap-anywhere min-w-0 font-mono font-medium text-[13px]">{path}</code>
        </span>
      }
      footer={
        file && (
          <>
            <span className="wrap-anywhere min-w-0 flex-1 text-faint text-xs">
              {file.revertible ? '' : file.reason}
            </span>
            <Button
              data-testid="revert-file"
              disabled={!file.revertible}
              onClick={() => setReverting(true)}
            >
              Revert this file…
            </Button>
          </>
        )
      }
    >
      {diff.isPending && (
        <p className="flex items-center gap-2 p-4 text-faint text-sm">
          <Spinner /> Reading the change…
        </p>
      )}
      {diff.error && (
        <p role="alert" className="p-4 text-bad text-sm">
          {errorMessage(diff.error)}
        </p>
      )}
      {diff.data === null && (
        <p className="p-4 text-soft text-sm">The file is as it was before the task.</p>
      )}
      {diff.data && <DiffView diff={diff.data.diff} />}
      {isReverting && file && (
        <RevertDialog
          taskId={taskId}
          files={[file]}
          path={path}
          onClose={() => setReverting(false)}
        />
      )}
    </Dialog>
  );
}
