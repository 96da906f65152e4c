import { invalidField } from './problem.ts';

/** An opaque cursor for lists that are counted, not ordered by a key. */
export function encodeOffset(offset: number): string {
  return Buffer.from(`offset ${offset}`).toString('base64url');
}

/** Reads it back; none is the beginning. */
export function decodeOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const offset = /^offset (\d{1,9})$/.exec(text)?.[1];
  if (offset === undefined) throw invalidField('cursor', 'is not a next_cursor of this list');
  return Number(offset);
}
