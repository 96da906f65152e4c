import type { Todo } from '@loom/shared/todo';
import { useState } from 'react';
import { CheckIcon, ChevronIcon, DashIcon, ListIcon, Spinner } from './icons.tsx';

/** What the running turn has set out to do, and how far it is. */
export function TodoList({ todos }: { todos: Todo[] }) {
  const [isOpen, setOpen] = useState(true);
  if (todos.length === 0) return null;
  const done = todos.filter((todo) => !isOpenTodo(todo)).length;
  return (
    <section
      aria-label="Todo list"
      data-testid="todos"
      className="appear mb-2 rounded-2xl border border-line bg-surface text-sm shadow-[0_1px_2px_rgb(0_0_0/0.04)]"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2.5 rounded-2xl px-4 py-2 text-left"
      >
        <ListIcon className="text-faint" />
        <span className="flex-1 text-soft">
          {done} of {todos.length} done
        </span>
        <ChevronIcon
          className={`size-3.5 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && (
        <ol className="max-h-[24vh] space-y-0.5 overflow-y-auto px-4 pb-2.5">
          {todos.map((todo) => (
            <li
              key={todo.id}
              data-testid="todo"
              data-status={todo.status}
              className="flex items-start gap-2.5"
            >
              <span className="grid h-6 w-4 shrink-0 place-items-center">
                <Sign status={todo.status} />
              </span>
              <span className={`wrap-anywhere min-w-0 ${isOpenTodo(todo) ? '' : 'text-faint'}`}>
                <span className="sr-only">{todo.status.replace('_', ' ')}: </span>
                <span className={todo.status === 'cancelled' ? 'line-through' : ''}>
                  {todo.title}
                </span>
                {todo.outcome !== '' && <span className="text-faint"> — {todo.outcome}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const isOpenTodo = ({ status }: Todo) => status === 'pending' || status === 'in_progress';

function Sign({ status }: { status: Todo['status'] }) {
  if (status === 'completed') return <CheckIcon className="text-good" />;
  if (status === 'cancelled') return <DashIcon className="text-faint" />;
  if (status === 'in_progress') return <Spinner className="size-3.5 text-accent" />;
  return <span className="size-2.5 rounded-full border-2 border-faint" />;
}
