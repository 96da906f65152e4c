import { errorMessage } from '@loom/shared/app-error';
import { useState } from 'react';

interface LoadMessagesProps {
  label: string;
  testId: string;
  onLoad: () => Promise<void>;
}

/** Brings more messages in, a page at a time. */
export function LoadMessages({ label, testId, onLoad }: LoadMessagesProps) {
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const load = async () => {
    setLoading(true);
    await onLoad().then(
      () => setError(null),
      (cause: unknown) => setError(`${errorMessage(cause)} Try again`),
    );
    setLoading(false);
  };
  return (
    <div className="my-5 text-center first:mt-0">
      <button
        type="button"
        onClick={() => void load()}
        disabled={isLoading}
        data-testid={testId}
        className="rounded-full border border-line px-3.5 py-1 text-soft text-xs hover:bg-hover"
      >
        {isLoading ? 'Loading…' : (error ?? label)}
      </button>
    </div>
  );
}
