import { elapsed } from '../format/elapsed.ts';
import { useNow } from '../state/use-now.ts';

const soonMs = 3_600_000;

/** How long a question can still be answered, once that is worth knowing. */
export function ExpiresIn({ at }: { at: string | null }) {
  const left = Date.parse(at ?? '') - useNow(at !== null);
  if (Number.isNaN(left) || left > soonMs) return null;
  return (
    <span className="whitespace-nowrap text-xs tabular-nums">
      {left <= 0 ? 'Time is over' : `${elapsed(left)} left`}
    </span>
  );
}
