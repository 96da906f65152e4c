import type { LiveMessage } from '@loom/shared/events';

interface Position {
  call: number;
  /** What was sent of this call. */
  text: string;
  is_finished: boolean;
}

interface Stitched {
  send: LiveMessage | null;
  /** Something is missing: nothing of this call can be sent before a snapshot came. */
  snapshot_wanted: boolean;
}

const nothing: Stitched = { send: null, snapshot_wanted: false };
const gap: Stitched = { send: null, snapshot_wanted: true };
const maxTurns = 16;

/**
 * Joins live text to what one reader already has: each piece begins exactly where the last ended,
 * older calls are silent, and a gap waits for a snapshot.
 */
export function createStitcher() {
  const positions = new Map<string, Position>();

  const begin = (message: LiveMessage): Stitched => {
    if (message.offset > 0) return gap;
    const { turn_id, call, text } = message;
    keep(positions, turn_id, { call, text, is_finished: false });
    return { send: message, snapshot_wanted: false };
  };

  return {
    /** Whether a piece belongs to a call of which nothing was sent yet. */
    opensCall({ turn_id, call }: LiveMessage): boolean {
      const position = positions.get(turn_id);
      return position === undefined || call > position.call;
    },
    push(message: LiveMessage): Stitched {
      const position = positions.get(message.turn_id);
      if (position === undefined || message.call > position.call) return begin(message);
      if (message.call < position.call || position.is_finished) return nothing;
      return carryOn(position, message);
    },
    /** The whole message of a call stands in the log now: its live text is over. */
    finish(turnId: string, call: number): void {
      const position = positions.get(turnId);
      if (position !== undefined && position.call > call) return;
      keep(positions, turnId, { call, text: '', is_finished: true });
    },
  };
}

function carryOn(position: Position, message: LiveMessage): Stitched {
  const sent = position.text.length;
  if (message.offset > sent) return gap;
  const text = message.text.slice(sent - message.offset);
  if (text === '') return nothing;
  position.text += text;
  return { send: { ...message, kind: 'delta', offset: sent, text }, snapshot_wanted: false };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > maxTurns && oldest !== undefined) map.delete(oldest);
}
