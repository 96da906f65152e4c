import { errorMessage } from '@loom/shared/app-error';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { steerTask } from '../http/task-log.ts';
import { Button } from './button.tsx';

/** Says something to a running task; Enter sends, Escape closes. */
export function SteerTask({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const [guidance, setGuidance] = useState('');
  const steer = useMutation({
    mutationFn: (text: string) => steerTask(taskId, text),
    onSuccess: onClose,
  });
  const send = () => {
    if (guidance.trim() !== '' && !steer.isPending) steer.mutate(guidance.trim());
  };
  return (
    <form
      data-testid="steer-form"
      className="appear space-y-2 border-line border-t px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the field appears because its button was pressed
        autoFocus
        rows={2}
        value={guidance}
        maxLength={20_000}
        onChange={(event) => setGuidance(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
        aria-label="Guidance for this task"
        placeholder="What should it know or do differently?"
        data-testid="guidance"
        className="block w-full resize-y rounded-xl border border-line-strong bg-canvas px-3.5 py-2 text-sm placeholder:text-faint"
      />
      {steer.isError && (
        <p role="alert" className="wrap-anywhere text-bad text-sm">
          {errorMessage(steer.error)}
        </p>
      )}
      <div className="flex gap-2">
        <Button
          type="submit"
          look="primary"
          data-testid="steer-send"
          disabled={guidance.trim() === '' || steer.isPending}
        >
          Tell it
        </Button>
        <Button onClick={onClose}>Back</Button>
      </div>
    </form>
  );
}
