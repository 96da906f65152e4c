import { resolve } from 'node:path';
import { sessionSchema } from '@loom/shared/api';
import type { Command } from 'commander';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { openConversation } from '../conversation.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createChatView } from '../render-chat.ts';
import { takeTurn } from '../take-turn.ts';
import { talk } from '../talk.ts';

interface ChatOptions {
  session?: string;
  workspace?: string;
  model?: string;
}

/** `loom chat`: talk, and watch what is delegated; with a message, one turn and out. */
export function addChatCommand(program: Command, context: CommandContext): void {
  program
    .command('chat')
    .description('talk; Ctrl-C stops the running turn first, then leaves')
    .argument('[message]', 'say this, wait for the answer, and leave')
    .option('--session <id>', 'continue this session')
    .option('--workspace <dir>', 'directory the conversation may work in')
    .option('--model <name>', 'a configured model')
    .action((message: string | undefined, options: ChatOptions) =>
      context.run(() => chat(context, message, options)),
    );
}

async function chat(
  context: CommandContext,
  message: string | undefined,
  options: ChatOptions,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const client = context.client();
  const isNew = options.session === undefined;
  const answer = isNew
    ? await client.request('POST', '/api/sessions', {
        workspace: options.workspace === undefined ? undefined : resolve(options.workspace),
        model: options.model,
      })
    : await client.request('GET', `/api/sessions/${encodeURIComponent(options.session ?? '')}`);
  const session = readAs(sessionSchema, answer);
  terminal.note(terminal.colors.dim(`session ${session.id}`));
  const conversation = await openConversation({
    client,
    session_id: session.id,
    after: isNew ? '0' : null,
    onEvent: createChatView(terminal),
    onLost: () => terminal.note(terminal.colors.dim('connection lost, trying again')),
  });
  const chat = { io: context.io, terminal, conversation };
  try {
    return message === undefined ? await talk(chat) : await takeTurn(chat, message);
  } finally {
    await conversation.close();
  }
}
