import { jsonObjectSchema } from '@loom/shared/json';
import { storableString } from '@loom/shared/text';
import { z } from 'zod';

const turnNumber = z.number().int().min(1).optional();

/** What `conversation_recall` takes. */
const conversationRecallInput = z
  .strictObject({
    action: z.enum(['search', 'range', 'tool_calls', 'summary']),
    query: storableString({ min: 1, max: 1_000 })
      .optional()
      .describe('What to look for; needed for search'),
    tool_name: z.string().max(200).optional().describe('For tool_calls: only calls of this tool'),
    start_turn: turnNumber.describe('First message number; needed for range'),
    end_turn: turnNumber.describe('Last message number, inclusive'),
    limit: z.number().int().min(1).max(100).default(10),
  })
  .superRefine(({ action, query, start_turn, end_turn }, context) => {
    const need = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (action === 'search' && query === undefined) need('query', 'is needed for search');
    if (action === 'range' && start_turn === undefined) need('start_turn', 'is needed for range');
    if (start_turn !== undefined && end_turn !== undefined && end_turn < start_turn) {
      need('end_turn', 'must not be smaller than start_turn');
    }
  });

/** What `delegate_task` takes. */
const delegateTaskInput = z.strictObject({
  goal: storableString({ min: 1, max: 20_000 }).describe(
    'What is to be achieved, complete in itself',
  ),
  context: jsonObjectSchema
    .optional()
    .describe('Constraints, decisions and files of this conversation that the work must respect'),
  wait: z
    .boolean()
    .default(true)
    .describe('true: the result comes back here; false: go on while the task runs'),
  process: z.string().min(1).max(100).optional().describe('Name of a process definition to follow'),
});
export type DelegateTaskInput = z.infer<typeof delegateTaskInput>;

/** What `ask_user` takes. */
const askUserInput = z.strictObject({
  question: storableString({ min: 1, max: 4_000 }),
  options: z
    .array(storableString({ min: 1, max: 500 }))
    .max(20)
    .optional()
    .describe('Answers to choose from'),
});

/** The tools that act on the conversation itself; whoever runs turns carries them out. */
export const conversationToolSpecs = {
  conversation_recall: {
    name: 'conversation_recall',
    description:
      'Look up earlier messages of this conversation word for word: search by text, a range of message numbers, the tool calls, or a summary of what is there.',
    effect: 'read',
    input: conversationRecallInput,
  },
  delegate_task: {
    name: 'delegate_task',
    description:
      'Hand a larger goal over to be planned, worked on in parallel and verified. Use it for work of several steps; do small things yourself.',
    effect: 'effectful',
    input: delegateTaskInput,
  },
  ask_user: {
    name: 'ask_user',
    description:
      'Ask the user a question and wait for the answer. Only when the work cannot go on without it.',
    effect: 'read',
    input: askUserInput,
  },
} as const;
