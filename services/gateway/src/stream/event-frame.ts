import type { LiveMessage, LoggedEvent } from '@loom/shared/events';

/** An event of the log as text of a stream; its number is the cursor. */
export function eventFrame(event: LoggedEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Live text: no id, since it is no part of the log and no place to resume from. */
export function liveFrame(message: LiveMessage, at: Date): string {
  const type = message.kind === 'delta' ? 'message.delta' : 'message.snapshot';
  const { session_id, turn_id, call, offset, text } = message;
  const data = { turn_id, call, offset, text };
  const event = { type, at: at.toISOString(), session_id, turn_id, data };
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

interface Reset {
  seq: number;
  at: Date;
  reason: string;
  ids: { task_id?: string; session_id?: string };
  snapshot: unknown;
}

/** Tells a reader with an unusable cursor where things stand; it goes on from here. */
export function resetFrame({ seq, at, reason, ids, snapshot }: Reset): string {
  const type = 'stream.reset';
  const data = { reason, last_seq: seq, snapshot };
  const event = { seq, type, at: at.toISOString(), ...ids, data };
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Keeps idle connections from being taken for dead. */
export const heartbeatFrame = ': heartbeat\n\n';

/**
 * The first bytes: how soon to come back after a cut, and from where if no event came before it.
 * No cursor where a reset follows: who did not get that must not go on as if it had.
 */
export function openingFrame(after: number | null): string {
  return `${after === null ? '' : `id: ${after}\n`}retry: 1000\n\n`;
}
