import { errorMessage } from '@loom/shared/app-error';
import { useMutation } from '@tanstack/react-query';
import { cancelTask } from '../http/gateway.ts';

/** Asks a running task to stop; its running steps wrap up first. */
export function CancelTask({ taskId, isStopping }: { taskId: string; isStopping: boolean }) {
  const cancel = useMutation({ mutationFn: () => cancelTask(taskId) });
  return (
    <button
      type="button"
      data-testid="cancel"
      disabled={isStopping || cancel.isPending || cancel.isSuccess}
      onClick={() => cancel.mutate()}
      title={cancel.isError ? errorMessage(cancel.error) : 'Stop this task'}
      className={`rounded-lg border px-2.5 py-0.5 text-xs leading-5 hover:bg-hover disabled:opacity-50 ${cancel.isError ? 'border-bad text-bad' : 'border-line-strong text-soft'}`}
    >
      {cancel.isError ? 'Try again' : 'Cancel'}
    </button>
  );
}
