import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionSchema, type Task, taskListItemSchema, taskSchema } from '@loom/shared/api';
import type { Command } from 'commander';
import { z } from 'zod';
import { type ApiClient, createApiClient, readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { openConversation } from '../conversation.ts';
import { demoEnvironment } from '../demo/demo-environment.ts';
import { type PrivateServer, startPrivateServer } from '../demo/private-server.ts';
import { showFiles } from '../demo/show-files.ts';
import { exitCodes } from '../exit-codes.ts';
import { taskExitCode, taskPath } from '../follow-task.ts';
import { listenForInterrupts } from '../interrupts.ts';
import { createChatView } from '../render-chat.ts';
import type { Terminal } from '../terminal.ts';

const request =
  'Write a haiku about rain, a limerick about tea and a short packing list for a weekend by the sea';

/** `loom demo`: one finite run on a private server, without a key; ends with 0 only when verified. */
export function addDemoCommand(program: Command, context: CommandContext): void {
  program
    .command('demo', { hidden: true })
    .description('one run in the terminal on a server of its own, without any key')
    .action(() =>
      context.run(async () => {
        const terminal = context.terminal();
        const interrupts = listenForInterrupts(context.io.signals, async () => false);
        const dir = realpathSync(mkdtempSync(join(tmpdir(), 'loom-demo-')));
        const workspace = join(dir, 'workspace');
        mkdirSync(workspace);
        const admin_key = randomBytes(24).toString('hex');
        const env = demoEnvironment(context.io.env, {
          data_dir: join(dir, 'data'),
          workspace,
          admin_key,
        });
        terminal.note(terminal.colors.dim('starting a private server'));
        const starting = startPrivateServer({ env, cwd: dir });
        try {
          const server = await Promise.race([starting, interrupts.left]);
          const client = createApiClient({ base_url: server.base_url, key: admin_key });
          const task = await Promise.race([
            showDelegation(terminal, client, workspace),
            interrupts.left,
          ]);
          const code = taskExitCode(task);
          const end = `Task ${task.status}, ${task.verification.replaceAll('_', ' ')}.`;
          terminal.note(
            code === exitCodes.ok ? terminal.colors.green(end) : terminal.colors.red(end),
          );
          return code;
        } finally {
          await stopServer(starting);
          rmSync(dir, { recursive: true, force: true });
          interrupts.release();
        }
      }),
    );
}

async function showDelegation(
  terminal: Terminal,
  client: ApiClient,
  workspace: string,
): Promise<Task> {
  // Nobody is there to be asked.
  const grants = { tools: ['delegate_task'] };
  const session = { workspace, title: 'Demo', grants };
  const created = await client.request('POST', '/api/sessions', session);
  const { id } = readAs(sessionSchema, created);
  terminal.note(terminal.colors.dim('the demo model is a small program, not an AI'));
  terminal.note(`${terminal.colors.bold('you')} ${request}`);
  const conversation = await openConversation({
    client,
    session_id: id,
    after: '0',
    onEvent: createChatView(terminal),
  });
  try {
    await conversation.send(request);
  } finally {
    await conversation.close();
  }
  const page = await client.request('GET', `/api/tasks?session_id=${id}`);
  const [delegated] = readAs(z.object({ items: z.array(taskListItemSchema) }), page).items;
  if (delegated === undefined) throw new CommandFailure('The turn ended without delegating.');
  const task = readAs(taskSchema, await client.request('GET', taskPath(delegated.id)));
  showFiles(terminal, workspace, task.files_changed);
  return task;
}

async function stopServer(starting: Promise<PrivateServer>): Promise<void> {
  const server = await starting.catch(() => null);
  await server?.stop();
}
