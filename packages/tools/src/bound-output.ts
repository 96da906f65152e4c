import { toStorableText } from '@loom/shared/text';

/**
 * Text that fits into `max_chars` and the database: head and tail stay, the cut is named, and with
 * it the artifact that holds the whole text, if there is one.
 */
export function boundOutput(text: string, max_chars: number, artifact: string | null): string {
  if (text.length <= max_chars) return toStorableText(text);
  // The marker's own length depends on the number in it; room for the largest is enough.
  const room = Math.max(0, max_chars - cutMarker(text.length, artifact).length);
  const head = Math.ceil((room * 2) / 3);
  const tail = room - head;
  const marker = cutMarker(text.length - room, artifact);
  return toStorableText(text.slice(0, head) + marker + text.slice(text.length - tail));
}

function cutMarker(chars: number, artifact: string | null): string {
  if (artifact === null) return `\n[… ${chars} characters cut …]\n`;
  return `\n[… ${chars} characters cut; the whole text is artifact ${artifact}: read_artifact shows it, with a query for parts of it …]\n`;
}
