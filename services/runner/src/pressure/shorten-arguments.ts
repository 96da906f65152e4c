import type { JsonValue } from '@loom/shared/json';
import { cutText } from '@loom/shared/text';

interface Room {
  /** Arguments whose JSON is not longer stay as they are. */
  whole: number;
  /** Longer strings are cut down to `head`. */
  text: number;
  head: number;
}

const rooms = {
  soft: { whole: 600, text: 300, head: 120 },
  hard: { whole: 200, text: 100, head: 40 },
} as const satisfies Record<string, Room>;

const maxItems = 8;
const shownItems = 4;
const maxDepth = 4;

/** Arguments of an old call, still JSON of the same shape, with long parts cut and the cuts named. */
export function shortenArguments(value: JsonValue, form: keyof typeof rooms): JsonValue {
  const room = rooms[form];
  const json = JSON.stringify(value);
  if (json.length <= room.whole) return value;
  const shorter = shorten(value, room, 0);
  if (JSON.stringify(shorter).length <= room.whole * 2) return shorter;
  const shown = typeof value === 'string' ? value : json;
  return { shortened: cut(shown, room.head) };
}

function shorten(value: JsonValue, room: Room, depth: number): JsonValue {
  if (typeof value === 'string') return value.length > room.text ? cut(value, room.head) : value;
  if (value === null || typeof value !== 'object') return value;
  if (depth === maxDepth) return cut(JSON.stringify(value), room.head);
  if (Array.isArray(value)) {
    const isLong = value.length > maxItems;
    const items = isLong ? value.slice(0, shownItems) : value;
    const left = isLong ? [`… [${value.length - shownItems} more items cut]`] : [];
    return [...items.map((item) => shorten(item, room, depth + 1)), ...left];
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shorten(inner, room, depth + 1)]),
  );
}

function cut(text: string, head: number): string {
  const shown = cutText(text, head);
  const left = text.length - shown.length;
  return left === 0 ? text : `${shown}… [${left} characters cut]`;
}
