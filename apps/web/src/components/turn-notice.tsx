import type { TurnView } from '../state/conversation-state.ts';
import { AlertIcon, StopIcon } from './icons.tsx';

/** How a turn ended when it did not end with an answer. */
export function TurnNotice({ turn }: { turn: TurnView }) {
  if (turn.status === 'cancelled') {
    return (
      <p className="flex items-center gap-2 text-faint text-sm" data-testid="turn-notice">
        <StopIcon className="size-3.5" /> Stopped
      </p>
    );
  }
  return (
    <p
      role="alert"
      data-testid="turn-notice"
      className="flex items-start gap-2.5 rounded-xl bg-bad-soft px-3.5 py-2.5 text-bad text-sm"
    >
      <AlertIcon className="mt-0.5" />
      <span className="wrap-anywhere min-w-0">
        {turn.error ?? 'This turn failed.'} Send your message again to retry.
      </span>
    </p>
  );
}
