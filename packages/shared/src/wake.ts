import type { LiveMessage } from './events.ts';

/** What travels on the wake-up bus. Losing any of it delays, it never loses state. */
export type Wake =
  /** New events stand in these streams (task and session ids). */
  | { kind: 'streams'; ids: string[] }
  /** A model is writing. */
  | { kind: 'live'; message: LiveMessage }
  /** Someone joined late and wants the text so far of this turn. */
  | { kind: 'snapshot_wanted'; session_id: string }
  /** These tasks or turns are to stop; workers look at their rows. */
  | { kind: 'stop'; ids: string[]; mode: 'cancel' | 'abort' };

/** Advisory messages between processes: Redis pub/sub or LISTEN/NOTIFY. */
export interface WakeBus {
  publish(wake: Wake): void;
  /** Returns the way to stop listening. */
  subscribe(listener: (wake: Wake) => void): () => void;
  close(): Promise<void>;
}
