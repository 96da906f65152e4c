import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { z } from 'zod';
import { type ApiClient, readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';

interface RevertOptions {
  path?: string;
  subtask?: string;
  revert?: string;
  yes?: boolean;
}

const revertedSchema = z.object({
  revert_id: z.string(),
  reverted: z.array(z.object({ path: z.string(), action: z.string() })),
  unchanged: z.array(z.string()),
});

/** `loom revert`: puts files back to how they were before a task; asks first when it can. */
export function addRevertCommand(program: Command, context: CommandContext): void {
  program
    .command('revert')
    .description('put files back to how they were before a task, all or none')
    .argument('<task>', 'id of the task')
    .option('--path <path>', 'only this file')
    .option('--subtask <id>', 'only what this subtask changed')
    .option('--revert <id>', 'take back this earlier revert instead')
    .option('--yes', 'do not ask')
    .action((id: string, options: RevertOptions) =>
      context.run(() => revert(context, id, options)),
    );
}

async function revert(
  context: CommandContext,
  id: string,
  { path, subtask, revert: revertId, yes }: RevertOptions,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const client = context.client();
  const what = [path, subtask && `of subtask ${subtask}`, revertId && `of ${revertId}`];
  const asked = what.filter(Boolean).join(' ') || 'all files';
  if (!yes && !(await confirm(context, `revert ${asked} of ${id}?`))) {
    terminal.note('nothing was reverted');
    return exitCodes.failed;
  }
  const answer = await send(client, id, { path, subtask_id: subtask, revert_id: revertId });
  terminal.emit(answer);
  const { revert_id, reverted, unchanged } = readAs(revertedSchema, answer);
  for (const file of reverted) terminal.print(`${file.action} ${file.path}`);
  for (const file of unchanged) terminal.note(`unchanged ${file}`);
  if (reverted.length === 0) terminal.note('nothing was left to be reverted');
  else terminal.note(`to take it back: loom revert ${id} --revert ${revert_id}`);
  return exitCodes.ok;
}

function send(client: ApiClient, id: string, body: Record<string, string | undefined>) {
  return client.request('POST', `${taskPath(id)}/revert`, body);
}

async function confirm({ io, terminal }: CommandContext, question: string): Promise<boolean> {
  const { stdin, stderr } = io;
  if (terminal().json || stdin.isTTY !== true || stderr.isTTY !== true) {
    throw new CommandFailure('This changes files. Say --yes if that is meant.', {
      exit_code: exitCodes.usage,
    });
  }
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    lines.setPrompt(`${question} [y]es, [n]o: `);
    lines.prompt();
    // Ctrl-C, Ctrl-D and the end of the input close it, which is no.
    const { value = '' } = await lines[Symbol.asyncIterator]().next();
    return ['y', 'yes'].includes(String(value).trim().toLowerCase());
  } finally {
    lines.close();
  }
}
