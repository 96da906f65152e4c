import { AppError } from '@loom/shared/app-error';

/** The last row of a page: the next page begins after it. */
interface KeysetPosition {
  at: string;
  id: string;
}

/** What a list function returns: the cursor is null on the last page. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

// Years that Postgres and JavaScript read alike.
const instantPattern = /^(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const idPattern = /^[!-~]{1,300}$/;

/** An opaque cursor for a list ordered by time and id. */
function encodeCursor(position: KeysetPosition): string {
  return Buffer.from(JSON.stringify([position.at, position.id])).toString('base64url');
}

/** Reads a cursor back; anything that no list gave out is an invalid request. */
export function decodeCursor(cursor: string | undefined): KeysetPosition | null {
  if (cursor === undefined) return null;
  const position = parsePosition(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (position !== null) return position;
  throw new AppError('invalid_request', 'The cursor is not one that this list gave out.', {
    details: { errors: [{ path: 'cursor', message: 'use a next_cursor of this list, or none' }] },
  });
}

function parsePosition(text: string): KeysetPosition | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [at, id] = value;
  if (typeof at !== 'string' || typeof id !== 'string') return null;
  if (!instantPattern.test(at) || Number.isNaN(Date.parse(at)) || !idPattern.test(id)) return null;
  return { at, id };
}

/** The rows behind a position in a list that is ordered by time and id, newest first. */
export function behind<Field extends string>(field: Field, position: KeysetPosition | null) {
  if (position === null) return {};
  const at = new Date(position.at);
  return { OR: [{ [field]: { lt: at } }, { [field]: at, id: { lt: position.id } }] };
}

/** Makes a page of rows that were asked for with one more than the limit. */
export function toPage<T>(
  rows: T[],
  limit: number,
  positionOf: (row: T) => KeysetPosition,
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, next_cursor: hasMore ? encodeCursor(positionOf(last)) : null };
}
