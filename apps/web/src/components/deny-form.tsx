import { useState } from 'react';
import { Button } from './button.tsx';

interface DenyFormProps {
  isPending: boolean;
  onDeny: (reason: string) => void;
  onBack: () => void;
}

/** Says no, with a reason that the model gets to read; Escape goes back. */
export function DenyForm({ isPending, onDeny, onBack }: DenyFormProps) {
  const [reason, setReason] = useState('');
  return (
    <form
      className="appear flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(reason.trim());
      }}
      onKeyDown={(event) => event.key === 'Escape' && onBack()}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the field appears because its button was pressed
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        maxLength={4_000}
        aria-label="Why not"
        placeholder="Why not, or what to do instead (optional)"
        data-testid="deny-reason"
        className="min-w-0 flex-1 basis-56 rounded-lg border border-line-strong bg-canvas px-3 py-1 text-sm leading-6 placeholder:text-faint"
      />
      <Button type="submit" look="danger" data-testid="deny-send" disabled={isPending}>
        Deny
      </Button>
      <Button onClick={onBack}>Back</Button>
    </form>
  );
}
