import { storableString } from '@loom/shared/text';
import { todoLimits, todoStatusSchema } from '@loom/shared/todo';
import { z } from 'zod';

const some = (max: number, message: string) =>
  storableString({ min: 1, max }).refine((text) => text.trim() !== '', message);

/** What `create_todo` takes. */
const createTodoInput = z.strictObject({
  items: z
    .array(
      z.strictObject({
        title: some(todoLimits.title, 'must say what is to be done').describe(
          'What is to be done, in a few words',
        ),
        context: storableString({ max: todoLimits.context })
          .optional()
          .describe('What whoever does it should know'),
        completion_criteria: storableString({ max: todoLimits.completion_criteria })
          .optional()
          .describe('What must be true when it is done'),
        agent_type: storableString({ max: todoLimits.agent_type })
          .optional()
          .describe('Who should do it, if it is to be delegated'),
        order: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe('Its place among the open ones, from 1; left out: at the end'),
      }),
    )
    .min(1)
    .max(todoLimits.open),
});

/** What `list_todo` takes. */
const listTodoInput = z.strictObject({
  status: z
    .enum([...todoStatusSchema.options, 'all'])
    .optional()
    .describe('Only these; left out: all that are still to be done'),
});

/** What `complete_todo` takes. */
const completeTodoInput = z.strictObject({
  todo_id: storableString({ min: 1, max: 100 }).describe('An id of this turn’s list'),
  outcome: some(todoLimits.outcome, 'must say what came of it').describe(
    'What was done, or why it is not needed',
  ),
  status: z.enum(['completed', 'cancelled']).default('completed'),
});

/** The tools by which a turn keeps a list of what it set out to do. */
export const todoToolSpecs = {
  create_todo: {
    name: 'create_todo',
    description:
      'Write down the steps of this turn, all in one call, before you begin work of three or more steps. Not for what one or two calls can do.',
    effect: 'idempotent',
    input: createTodoInput,
  },
  list_todo: {
    name: 'list_todo',
    description:
      'Show the todos of this turn with all that was written down about them, and how many there are of each status.',
    effect: 'read',
    input: listTodoInput,
  },
  complete_todo: {
    name: 'complete_todo',
    description:
      'Close a todo of this turn as soon as it is done, or with status "cancelled" when it is not needed or cannot be done.',
    effect: 'idempotent',
    input: completeTodoInput,
  },
} as const;
