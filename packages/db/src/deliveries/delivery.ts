import type { EventType } from '@loom/shared/events';

/** One call of a webhook. Under way while it has neither status nor error. */
export interface DeliveryAttempt {
  number: number;
  at: string;
  /** The HTTP status that came back; null when none did. */
  status: number | null;
  /** Why it did not count as delivered. */
  error: string | null;
  /** Null while it is under way, and for good when its worker went away. */
  duration_ms: number | null;
  /** When the next one is due, if there is to be one. */
  next_at: string | null;
}

/** How one call ended. */
export interface AttemptEnd {
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** A delivery as its tenant sees it. */
export interface Delivery {
  id: string;
  task_id: string;
  url: string;
  event: EventType;
  status: 'pending' | 'delivered' | 'failed';
  attempts: DeliveryAttempt[];
  created_at: string;
  ended_at: string | null;
}

const cutOff = 'its worker went away before an answer was recorded; the call may have arrived';

/** Ends what nobody works on any more: the attempt that a lost worker left under way, if any. */
export function endCutOff(attempts: DeliveryAttempt[]): DeliveryAttempt[] {
  return attempts.map((attempt) =>
    attempt.status === null && attempt.error === null ? { ...attempt, error: cutOff } : attempt,
  );
}
