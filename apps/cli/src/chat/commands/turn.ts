import { type TodoStatus, todoSchema } from '@loom/shared/todo';
import { z } from 'zod';
import { readAs } from '../../api-client.ts';
import { CommandFailure } from '../../command-failure.ts';
import { sessionPath } from '../../conversation.ts';
import { plainText } from '../../plain-text.ts';
import { type ChatCommand, required } from '../chat-command.ts';
import type { ChatSession } from '../chat-session.ts';

const todosSchema = z.object({
  items: z.array(todoSchema.pick({ title: true, status: true, outcome: true })),
});

const marks: Record<TodoStatus, string> = {
  pending: '[ ]',
  in_progress: '[~]',
  completed: '[x]',
  cancelled: '[-]',
};

/** `/todos`: what the newest turn has set out to do. */
export const todosCommand: ChatCommand = {
  usage: '/todos',
  description: 'show what the turn has set out to do',
  async run(session) {
    const { terminal } = session;
    const page = await readTodos(session);
    terminal.emit({ type: 'chat.todos', data: page });
    const { items } = readAs(todosSchema, page);
    if (items.length === 0) return terminal.note('the turn has set itself no todos');
    for (const { title, status, outcome } of items) {
      const how = outcome !== '' ? ` (${outcome})` : '';
      terminal.print(plainText(`${marks[status]} ${title}${how}`));
    }
  },
};

/** `/stop`: asks the turn at work to stop. */
export const stopCommand: ChatCommand = {
  usage: '/stop',
  description: 'stop the turn at work',
  is_urgent: true,
  async run(session) {
    const stopping = await session.stop();
    session.terminal.note(stopping ? 'stopping the turn' : 'no turn is at work');
  },
};

/** `/interrupt <words>`: stops what is at work and says this instead. */
export const interruptCommand: ChatCommand = {
  usage: '/interrupt <words>',
  description: 'stop the turn at work and say this instead',
  is_urgent: true,
  run: (session, rest) => session.say(required(rest, interruptCommand), 'interrupt'),
};

async function readTodos({ client, id, board }: ChatSession): Promise<unknown> {
  const turn = board.busy() ?? board.latest();
  if (turn === null) return { items: [] };
  try {
    const query = new URLSearchParams({ turn_id: turn });
    return await client.request('GET', `${sessionPath(id)}/todos?${query}`);
  } catch (error) {
    // A gateway of an older version keeps none.
    if (error instanceof CommandFailure && error.problem?.status === 404) return { items: [] };
    throw error;
  }
}
