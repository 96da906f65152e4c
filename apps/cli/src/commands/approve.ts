import { type Approval, approvalSchema, type DecideApproval } from '@loom/shared/approval';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type ApiClient, readAs } from '../api-client.ts';
import { askApprovals } from '../ask-approvals.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { parseObject } from '../parse-object.ts';
import { describeApproval } from '../render-approval.ts';
import { renderTable } from '../render-table.ts';

interface ApproveOptions {
  deny?: boolean;
  reason?: string;
  arguments?: Record<string, unknown>;
  always?: boolean;
  task?: string;
}

const pageSchema = z.object({ items: z.array(approvalSchema), next_cursor: z.string().nullish() });

/** `loom approve`: answers a question that work waits for; without an id, shows those that are open. */
export function addApproveCommand(program: Command, context: CommandContext): void {
  program
    .command('approve')
    .description('answer a question that work waits for; without an id, list the open ones')
    .argument('[approval]', 'id of the approval')
    .addOption(new Option('--deny', 'do not allow it').conflicts(['always', 'arguments']))
    .option('--reason <text>', 'why; the model is told')
    .option('--arguments <json>', 'allow it with these arguments instead', parseObject)
    .option('--always', 'do not ask about this tool again in this session')
    .option('--task <id>', 'list only the questions of this task')
    .action((id: string | undefined, options: ApproveOptions) =>
      context.run(() =>
        id === undefined ? showOpen(context, options) : answer(context, id, options),
      ),
    );
}

async function answer(
  context: CommandContext,
  id: string,
  options: ApproveOptions,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const decided = await decide(context.client(), id, {
    decision: options.deny ? 'deny' : 'approve',
    reason: options.reason,
    arguments: options.arguments as DecideApproval['arguments'],
    scope: options.always ? 'session' : 'once',
  });
  terminal.emit(decided);
  terminal.print(`${id}: ${decided.status}`);
  return exitCodes.ok;
}

async function showOpen(context: CommandContext, options: ApproveOptions): Promise<ExitCode> {
  if (options.deny || options.always || options.reason !== undefined || options.arguments) {
    throw new CommandFailure('Name the approval that this answers; "loom approve" lists them.', {
      exit_code: exitCodes.usage,
    });
  }
  const terminal = context.terminal();
  const client = context.client();
  const query = new URLSearchParams({ status: 'pending', limit: '200' });
  if (options.task !== undefined) query.set('task_id', options.task);
  const page = await client.request('GET', `/api/approvals?${query}`);
  const { items, next_cursor } = readAs(pageSchema, page);
  terminal.emit(page);
  if (items.length === 0) {
    terminal.note('nothing waits for an answer');
    return exitCodes.ok;
  }
  const { stdin, stderr } = context.io;
  if (!terminal.json && stdin.isTTY === true && stderr.isTTY === true) {
    await askApprovals(context.io, terminal, items, (id, body) => decide(client, id, body));
    return exitCodes.ok;
  }
  const rows = items.map((item) => [
    item.id,
    item.kind,
    item.task_id ?? item.session_id ?? '',
    item.expires_at ?? '',
    describeApproval(item),
  ]);
  terminal.print(renderTable(['ID', 'KIND', 'OF', 'EXPIRES', 'QUESTION'], rows));
  if (next_cursor) terminal.note('there are more');
  return exitCodes.ok;
}

async function decide(client: ApiClient, id: string, body: DecideApproval): Promise<Approval> {
  const path = `/api/approvals/${encodeURIComponent(id)}`;
  return readAs(approvalSchema, await client.request('POST', path, body));
}
