import { errorMessage } from '@loom/shared/app-error';
import { useState } from 'react';

/** Brings earlier messages in, a page at a time. */
export function OlderMessages({ onLoad }: { onLoad: () => Promise<void> }) {
  const [status, setStatus] = useState<string | null>(null);
  const load = async () => {
    setStatus('Loading…');
    await onLoad().then(
      () => setStatus(null),
      (error: unknown) => setStatus(`${errorMessage(error)} Try again`),
    );
  };
  return (
    <div className="mb-5 text-center">
      <button
        type="button"
        onClick={() => void load()}
        disabled={status === 'Loading…'}
        data-testid="older-messages"
        className="rounded-full border border-line px-3.5 py-1 text-soft text-xs hover:bg-hover"
      >
        {status ?? 'Show earlier messages'}
      </button>
    </div>
  );
}
