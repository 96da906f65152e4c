import { taskListItemSchema } from '@loom/shared/api';
import { firstLine } from '@loom/shared/text';
import { z } from 'zod';
import { readAs } from '../../api-client.ts';
import { taskPath } from '../../follow-task.ts';
import { renderTable } from '../../render-table.ts';
import { type ChatCommand, required, wrongUsage } from '../chat-command.ts';
import type { ChatSession } from '../chat-session.ts';
import { splitWord } from '../read-input.ts';

const tasksSchema = z.object({ items: z.array(taskListItemSchema) });

/** `/run <goal>`: sets a task going in the session's workspace, beside the conversation. */
export const runCommand: ChatCommand = {
  usage: '/run <goal>',
  description: 'delegate a goal yourself; its progress and its result are shown here',
  async run(session, rest) {
    const id = await session.run(required(rest, runCommand));
    session.terminal.note(session.terminal.colors.dim(`${id} was started`));
  },
};

/** `/tasks`: what was delegated in this session, newest first. */
export const tasksCommand: ChatCommand = {
  usage: '/tasks',
  description: 'list what was delegated here',
  async run(session) {
    const { terminal } = session;
    const { page, items } = await readTasks(session);
    terminal.emit({ type: 'chat.tasks', data: page });
    if (items.length === 0) return terminal.note('nothing was delegated here');
    const rows = items.map(({ id, status, verification, goal }) => {
      const count = session.counts.of(id);
      const progress = count === null ? '' : `${count.ended}/${count.all}`;
      return [id, status, verification, progress, firstLine(goal, 60)];
    });
    terminal.print(renderTable(['ID', 'STATUS', 'VERIFICATION', 'ENDED', 'GOAL'], rows));
  },
};

/** `/steer <task> <words>`: says something to a task that is at work. */
export const steerCommand: ChatCommand = {
  usage: '/steer <task> <words>',
  description: 'say something to a running task; the end of its id is enough',
  is_urgent: true,
  async run(session, rest) {
    const { first, rest: guidance } = splitWord(required(rest, steerCommand));
    const id = await findTask(session, first);
    const answer = await session.client.request('POST', `${taskPath(id)}/steer`, {
      guidance: required(guidance, steerCommand),
    });
    session.terminal.emit({ type: 'chat.steer', data: answer });
    session.terminal.note(session.terminal.colors.dim(`${id} was told`));
  },
};

async function findTask(session: ChatSession, word: string): Promise<string> {
  const { items } = await readTasks(session);
  const named = items.filter(({ id }) => id === word);
  const ids = (named.length > 0 ? named : items.filter(({ id }) => id.endsWith(word))).map(
    ({ id }) => id,
  );
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return id;
  throw wrongUsage(
    ids.length === 0
      ? `No task of this session is called ${word}; /tasks lists them.`
      : `Several tasks end with ${word}: ${ids.join(', ')}`,
  );
}

async function readTasks({ client, id }: ChatSession) {
  const query = new URLSearchParams({ session_id: id, limit: '50' });
  const page = await client.request('GET', `/api/tasks?${query}`);
  return { page, items: readAs(tasksSchema, page).items };
}
