import { z } from 'zod';

const todoStatuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export const todoStatusSchema = z.enum(todoStatuses);
export type TodoStatus = z.infer<typeof todoStatusSchema>;

/** Bounds: how many todos a turn has open and in all, and how many characters the parts of one have. */
export const todoLimits = {
  open: 50,
  in_all: 200,
  title: 200,
  context: 4_000,
  completion_criteria: 1_000,
  agent_type: 100,
  outcome: 2_000,
} as const;

/** Something that a turn set out to do. */
export const todoSchema = z.object({
  id: z.string(),
  turn_id: z.string(),
  title: z.string(),
  /** What whoever does it should know. */
  context: z.string(),
  /** What must be true when it is done. */
  completion_criteria: z.string(),
  /** Who should do it, where that is not the model itself. */
  agent_type: z.string(),
  status: todoStatusSchema,
  /** Its place in the turn's list; 0 comes first. */
  priority: z.number().int(),
  /** What came of it, once it is closed. */
  outcome: z.string(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
});
export type Todo = z.infer<typeof todoSchema>;

/** A todo to be made. */
export interface NewTodo {
  title: string;
  context?: string | undefined;
  completion_criteria?: string | undefined;
  agent_type?: string | undefined;
  /** Its place among the open ones, from 1; at the end when it has none. */
  order?: number | undefined;
}

/** Whether it still has to be done. */
export function isOpenTodo({ status }: Pick<Todo, 'status'>): boolean {
  return status === 'pending' || status === 'in_progress';
}

/** How many there are of each status. */
export function countTodos(todos: readonly Pick<Todo, 'status'>[]): Record<TodoStatus, number> {
  const counts = { pending: 0, in_progress: 0, completed: 0, cancelled: 0 };
  for (const { status } of todos) counts[status] += 1;
  return counts;
}
