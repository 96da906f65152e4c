import { recallAnswerSchema } from '@loom/shared/api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';

interface RecallOptions {
  action?: string;
  tool?: string;
  start?: number;
  end?: number;
  limit?: number;
}

/** `loom recall`: looks things up in a conversation, word for word. */
export function addRecallCommand(program: Command, context: CommandContext): void {
  program
    .command('recall')
    .description('look up what was said in a conversation')
    .argument('<session>', 'id of the session')
    .argument('[query]', 'what to search for')
    .addOption(
      new Option(
        '--action <action>',
        'what to do (search with a query, else as the options say)',
      ).choices(['search', 'range', 'tool_calls', 'summary']),
    )
    .option('--tool <name>', 'only calls of this tool')
    .option('--start <n>', 'first message number', parseNumber)
    .option('--end <n>', 'last message number', parseNumber)
    .option('--limit <n>', 'how many', parseNumber)
    .action((session: string, query: string | undefined, options: RecallOptions) =>
      context.run(() => recall(context, session, query, options)),
    );
}

async function recall(
  context: CommandContext,
  session: string,
  query: string | undefined,
  options: RecallOptions,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const answer = await context
    .client()
    .request('POST', `/api/sessions/${encodeURIComponent(session)}/recall`, {
      action: options.action ?? actionFor(query, options),
      query,
      tool_name: options.tool,
      start_turn: options.start,
      end_turn: options.end,
      limit: options.limit,
    });
  const { text } = readAs(recallAnswerSchema, answer);
  terminal.emit(answer);
  terminal.print(text);
  return exitCodes.ok;
}

function actionFor(query: string | undefined, { tool, start, end }: RecallOptions): string {
  if (query !== undefined) return 'search';
  if (tool !== undefined) return 'tool_calls';
  return start !== undefined || end !== undefined ? 'range' : 'summary';
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 up.');
  return Number(text);
}
