import { AlertIcon } from './icons.tsx';

/** Says what went wrong and offers to try again. */
export function ErrorPanel({ message, onRetry }: { message: string; onRetry?: () => void }) {
  return (
    <div role="alert" className="appear max-w-md text-center">
      <AlertIcon className="mx-auto mb-3 size-6 text-bad" />
      <p className="text-soft">{message}</p>
      {onRetry && (
        <button
          type="button"
          onClick={onRetry}
          className="mt-4 rounded-lg border border-line-strong px-4 py-1.5 text-sm hover:bg-hover"
        >
          Try again
        </button>
      )}
    </div>
  );
}
