import type { Database } from '@loom/db/database';
import { closeTodo } from '@loom/db/todos/close-todo';
import { createTodos } from '@loom/db/todos/create-todos';
import { loadTurnTodos } from '@loom/db/todos/load-turn-todos';
import { AppError } from '@loom/shared/app-error';
import { isOpenTodo, type Todo, todoLimits } from '@loom/shared/todo';
import type { ToolDefinition } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import type { z } from 'zod';
import { describeTodos } from './describe-todos.ts';
import { onOneLine, todoLine } from './todo-line.ts';
import { todoToolSpecs } from './todo-tool-specs.ts';

type Input<Name extends keyof typeof todoToolSpecs> = z.infer<
  (typeof todoToolSpecs)[Name]['input']
>;

/** The todo tools of a claimed turn: whatever a model asks for, they see this turn's todos and no others. */
export function todoTools(db: Database, unit: ClaimedUnit): ToolDefinition[] {
  const common = { timeout_ms: 10_000, unavailable: () => null };
  const create: ToolDefinition<Input<'create_todo'>> = {
    ...todoToolSpecs.create_todo,
    ...common,
    run: async ({ items }, { call_key }) => {
      const created = await createTodos(db, { unit, call_key, items });
      if (created.outcome === 'lost') throw lostTurn();
      if (created.outcome === 'full') throw tooMany(created);
      return { text: describeCreated(created.todos, new Set(created.ids)) };
    },
  };
  const list: ToolDefinition<Input<'list_todo'>> = {
    ...todoToolSpecs.list_todo,
    ...common,
    run: async ({ status }) => {
      const { tenant_id, turn_id } = unit;
      const todos = await loadTurnTodos(db, { tenant_id, turn_id: turn_id ?? '' });
      return { text: describeTodos(todos, status) };
    },
  };
  const complete: ToolDefinition<Input<'complete_todo'>> = {
    ...todoToolSpecs.complete_todo,
    ...common,
    run: async ({ todo_id, outcome, status }) => {
      const closed = await closeTodo(db, { unit, todo_id, status, result: outcome });
      if (closed.outcome === 'lost') throw lostTurn();
      if (closed.outcome === 'unknown') throw unknownTodo(todo_id);
      if (closed.outcome === 'closed_before') throw closedBefore(closed);
      return { text: `${quoted(closed.title)} is ${status}; ${closed.open} still open.` };
    },
  };
  return [create, list, complete] as ToolDefinition[];
}

/** What a call made, each with its number among the open ones. */
function describeCreated(todos: readonly Todo[], ids: ReadonlySet<string>): string {
  const open = todos.filter(isOpenTodo);
  const lines = open.flatMap((todo, index) =>
    ids.has(todo.id) ? [`${index + 1}. ${todoLine(todo, todoLimits.title)}`] : [],
  );
  return [`Created ${ids.size}; ${open.length} open.`, ...lines].join('\n');
}

function tooMany({ open, in_all }: { open: number; in_all: number }): AppError {
  const isFull = in_all >= todoLimits.in_all;
  const text = isFull
    ? `This turn has made all ${todoLimits.in_all} todos that it may; work on the open ones and answer.`
    : `A turn has at most ${todoLimits.open} todos open and ${todoLimits.in_all} in all, and this one has ${open} and ${in_all}; create fewer, or close some with complete_todo first.`;
  return new AppError('invalid_request', text);
}

function unknownTodo(id: string): AppError {
  const text = `There is no todo "${id}" in this turn; take an id that list_todo shows.`;
  return new AppError('invalid_request', text);
}

function closedBefore({ title, status }: Pick<Todo, 'title' | 'status'>): AppError {
  const text = `${quoted(title)} is ${status} already and stays so; create a new todo if there is more to do.`;
  return new AppError('invalid_request', text);
}

function quoted(title: string): string {
  return `"${onOneLine(title, todoLimits.title)}"`;
}

function lostTurn(): AppError {
  return new AppError('lost_ownership', 'Another worker runs this turn by now.');
}
