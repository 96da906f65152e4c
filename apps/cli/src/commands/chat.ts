import { resolve } from 'node:path';
import { type Session, sessionSchema } from '@loom/shared/api';
import { type Command, Option } from 'commander';
import { type ApiClient, readAs } from '../api-client.ts';
import { ChatSession } from '../chat/chat-session.ts';
import { describeSession, findLatestSession, readSession } from '../chat/find-session.ts';
import { readTypedLines } from '../chat/typed-lines.ts';
import type { CommandContext } from '../command-context.ts';
import { openConversation } from '../conversation.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createChatView } from '../render-chat.ts';
import { takeTurn } from '../take-turn.ts';
import { talk } from '../talk.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

interface ChatOptions {
  session?: string;
  /** True without an id: the newest session of the workspace. */
  resume?: string | true;
  workspace?: string;
  model?: string;
}

/** Exchanges that are shown when a session is resumed. */
const shownOnResume = 3;

/** `loom chat`: talk, and watch what is delegated; with a message, one turn and out. */
export function addChatCommand(program: Command, context: CommandContext): void {
  program
    .command('chat')
    .description('talk; Ctrl-C stops the running turn first, then leaves; /help lists commands')
    .argument('[message]', 'say this, wait for the answer, and leave')
    .option('--session <id>', 'continue this session')
    .addOption(
      new Option(
        '--resume [session]',
        'continue a session and show how it ended; without an id, the newest of the workspace',
      ).conflicts('session'),
    )
    .option('--workspace <dir>', 'directory the conversation may work in')
    .option('--model <name>', 'a configured model')
    .action((message: string | undefined, options: ChatOptions) =>
      context.run(() =>
        message === undefined ? converse(context, options) : sayOnce(context, message, options),
      ),
    );
}

async function converse(context: CommandContext, options: ChatOptions): Promise<ExitCode> {
  const { io } = context;
  const { json, colors } = context.terminal();
  const is_interactive = !json && io.stdin.isTTY === true && io.stderr.isTTY === true;
  const client = context.client();
  const lines = readTypedLines(io, is_interactive, colors.bold('› '));
  const { stdout, stderr } = lines;
  const terminal = createTerminal({ stdout, stderr, env: io.env, json });
  let session: ChatSession | null = null;
  try {
    const { id } = await chooseSession(client, terminal, options);
    session = await ChatSession.open({
      client,
      terminal,
      session_id: id,
      is_new: isNew(options),
      exchanges: options.resume === undefined ? 0 : shownOnResume,
    });
    return await talk({ session, lines, signals: io.signals, is_interactive });
  } finally {
    lines.close();
    await session?.close();
  }
}

async function sayOnce(
  context: CommandContext,
  message: string,
  options: ChatOptions,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const client = context.client();
  const { id } = await chooseSession(client, terminal, options);
  const conversation = await openConversation({
    client,
    session_id: id,
    after: isNew(options) ? '0' : null,
    onEvent: createChatView(terminal),
    onLost: () => terminal.note(terminal.colors.dim('connection lost, trying again')),
  });
  try {
    return await takeTurn({ io: context.io, terminal, conversation }, message);
  } finally {
    await conversation.close();
  }
}

async function chooseSession(
  client: ApiClient,
  terminal: Terminal,
  options: ChatOptions,
): Promise<Session> {
  const session = isNew(options)
    ? await createSession(client, options)
    : await findSession(client, terminal, options);
  terminal.note(terminal.colors.dim(`session ${session.id}`));
  return session;
}

async function createSession(client: ApiClient, options: ChatOptions): Promise<Session> {
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  const body = { workspace, model: options.model };
  return readAs(sessionSchema, await client.request('POST', '/api/sessions', body));
}

async function findSession(
  client: ApiClient,
  terminal: Terminal,
  { session: id, resume, workspace }: ChatOptions,
): Promise<Session> {
  if (resume !== true) return readSession(client, resume ?? id ?? '');
  const found = await findLatestSession(client, resolve(workspace ?? '.'));
  if (found.others.length > 0) {
    terminal.note(terminal.colors.dim('others of this workspace, for --resume <session>:'));
    for (const other of found.others) terminal.note(terminal.colors.dim(describeSession(other)));
  }
  return found.session;
}

function isNew({ session, resume }: ChatOptions): boolean {
  return session === undefined && resume === undefined;
}
