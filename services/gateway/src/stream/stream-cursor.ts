/** What a client's cursor means for one log. */
type Cursor =
  | { kind: 'none' }
  | { kind: 'after'; seq: number }
  | { kind: 'unusable'; reason: string };

/** Reads a cursor against the newest number of its log; `0` is the beginning. */
export function parseCursor(text: string | undefined, lastSeq: number): Cursor {
  if (text === undefined || text === '') return { kind: 'none' };
  if (!/^\d{1,15}$/.test(text)) {
    return { kind: 'unusable', reason: 'The cursor is not the id of an event.' };
  }
  const seq = Number(text);
  if (seq > lastSeq) {
    return { kind: 'unusable', reason: `The cursor lies beyond the last event, ${lastSeq}.` };
  }
  return { kind: 'after', seq };
}
