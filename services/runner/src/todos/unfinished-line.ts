import { isOpenTodo, type Todo, todoLimits } from '@loom/shared/todo';
import { onOneLine } from './todo-line.ts';

/** Titles that the line names; the rest is counted. */
const maxNamed = 10;

/** The line that ends an answer which is silent about todos left open; null when it names them all. */
export function unfinishedLine(todos: readonly Todo[], text: string): string | null {
  const answer = normalForm(text);
  const silent = todos.filter((todo) => isOpenTodo(todo) && !isNamed(todo, answer));
  if (silent.length === 0) return null;
  const named = silent
    .slice(0, maxNamed)
    .map(({ title }) => onOneLine(title, todoLimits.title).replace(/\.$/, ''));
  const more = silent.length - named.length;
  return `Not finished: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** Whether the text has the title as whole words, or the id. */
function isNamed({ id, title }: Todo, answer: string): boolean {
  if (answer.includes(normalForm(id))) return true;
  const words = normalForm(title);
  if (words === '') return false;
  for (let at = answer.indexOf(words); at >= 0; at = answer.indexOf(words, at + 1)) {
    const end = at + words.length;
    const before = answer.slice(Math.max(0, at - 2), at);
    const after = answer.slice(end, end + 2);
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** Text without what differs between two spellings of the same words: case, marks of emphasis, spaces. */
function normalForm(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[*_`"'“”‘’]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.!]+$/, '');
}
