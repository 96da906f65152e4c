import { isOpenTodo, type Todo, todoLimits } from '@loom/shared/todo';
import { todoCounts } from './todo-counts.ts';
import { onOneLine, todoLine } from './todo-line.ts';

/** Characters of the whole section, of criteria in it, and of a title where there are many. */
const maxSection = 2_000;
const maxCriteria = 300;
const maxShortTitle = 80;

const closing =
  'Do them in this order and close each with complete_todo as soon as it is done or not needed. Answer when none is open; what you leave open, name in your answer.';

/** What the model is told of its turn's todos before each call; null when it has made none. */
export function todoSection(todos: readonly Todo[]): string | null {
  if (todos.length === 0) return null;
  const open = todos.filter(isOpenTodo);
  const counts = todoCounts(todos);
  if (open.length === 0) return `All todos of this turn are closed: ${counts}. Answer the user.`;
  const heading = `Todos of this turn: ${counts}. Still to be done:`;
  const room = maxSection - heading.length - closing.length - 2;
  return [heading, ...fit(open, room), closing].join('\n');
}

/** As many lines as there is room for. What comes next is told in full, since it is worked on. */
function fit(open: readonly Todo[], room: number): string[] {
  const full = open.map(fullLine);
  if (lengthOf(full) <= room) return full;
  const lines = open.map((todo, index) =>
    index === 0 ? fullLine(todo, index) : `${index + 1}. ${todoLine(todo, maxShortTitle)}`,
  );
  const more = (shown: number) => `(${open.length - shown} more: see list_todo)`;
  while (lengthOf([...lines, more(lines.length)]) > room) lines.pop();
  return lines.length < open.length ? [...lines, more(lines.length)] : lines;
}

function fullLine(todo: Todo, index: number): string {
  const line = `${index + 1}. ${todoLine(todo, todoLimits.title)}`;
  const criteria = onOneLine(todo.completion_criteria, maxCriteria);
  return criteria === '' ? line : `${line} (done when: ${criteria})`;
}

/** Characters of lines, each with its end. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
