import type { StreamEvent } from '../http/stream-event.ts';

/** The text a model is writing at this moment. */
export interface LiveText {
  turn_id: string;
  call: number;
  text: string;
}

/**
 * Adds a streamed piece. A piece that was seen already changes nothing, one from an abandoned call
 * is dropped, and one that does not join on is dropped too: the stored message follows anyway.
 */
export function addLiveText(live: LiveText | null, event: StreamEvent): LiveText | null {
  const { call, offset, text } = event.data;
  const turnId = event.turn_id ?? event.data.turn_id;
  if (typeof turnId !== 'string' || typeof text !== 'string') return live;
  const piece = {
    call: typeof call === 'number' ? call : 0,
    offset: event.type === 'message.snapshot' || typeof offset !== 'number' ? 0 : offset,
  };
  const current = live?.turn_id === turnId ? live : null;
  if (current && piece.call < current.call) return live;
  const sameCall = current?.call === piece.call ? current : null;
  const before = sameCall?.text ?? '';
  if (piece.offset > before.length) return live;
  const joined = before.slice(0, piece.offset) + text;
  if (sameCall && before.startsWith(joined)) return live;
  return { turn_id: turnId, call: piece.call, text: joined };
}
