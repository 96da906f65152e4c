import { cutText } from '@loom/shared/text';
import type { Todo } from '@loom/shared/todo';

/** A text on one line, cut to a length. */
export function onOneLine(text: string, max: number): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= max ? line : `${cutText(line, max - 1)}…`;
}

/** A todo as a line of a list: its id and its title. */
export function todoLine({ id, title }: Todo, max: number): string {
  return `${id} ${onOneLine(title, max)}`;
}
