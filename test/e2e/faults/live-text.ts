import type { StreamedEvent } from '@loom/testing/event-stream';

/**
 * The text of a turn that a client shows while it is written: a snapshot begins anew, a delta goes
 * to the end. Throws where a delta belongs somewhere else.
 */
export function liveText(live: readonly StreamedEvent[], turnId: string): string {
  let text = '';
  let call: unknown = null;
  for (const { type, turn_id, data } of live) {
    if (turn_id !== turnId || !type.startsWith('message.')) continue;
    if (data.call !== call || type === 'message.snapshot') text = '';
    call = data.call;
    if (data.offset !== text.length) {
      throw new Error(`${type} at ${data.offset} of ${turnId}, after ${text.length} characters`);
    }
    text += data.text;
  }
  return text;
}
