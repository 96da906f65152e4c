import { toStorableText } from '@loom/shared/text';

/** Text that fits into `max_chars` and the database: head and tail stay, the cut is named. */
export function boundOutput(text: string, max_chars: number): string {
  if (text.length <= max_chars) return toStorableText(text);
  // The marker's own length depends on the number in it; room for the largest is enough.
  const room = Math.max(0, max_chars - cutMarker(text.length).length);
  const head = Math.ceil((room * 2) / 3);
  const tail = room - head;
  const marker = cutMarker(text.length - room);
  return toStorableText(text.slice(0, head) + marker + text.slice(text.length - tail));
}

function cutMarker(chars: number): string {
  return `\n[… ${chars} characters cut …]\n`;
}
