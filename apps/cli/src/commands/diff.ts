import type { Command } from 'commander';
import { z } from 'zod';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';

const diffSchema = z.object({ items: z.array(z.object({ diff: z.string() })) });

/** `loom diff`: what a task changed in files, as a patch that `git apply` takes. */
export function addDiffCommand(program: Command, context: CommandContext): void {
  program
    .command('diff')
    .description('show what a task changed in files, as a patch for "git apply"')
    .argument('<task>', 'id of the task')
    .argument('[path]', 'only this file')
    .option('--subtask <id>', 'only what this subtask changed')
    .action((id: string, path: string | undefined, { subtask }: { subtask?: string }) =>
      context.run(() => showDiff(context, id, { path, subtask_id: subtask })),
    );
}

async function showDiff(
  context: CommandContext,
  id: string,
  query: Record<string, string | undefined>,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  const answer = await context.client().request('GET', `${taskPath(id)}/diff${search}`);
  const { items } = readAs(diffSchema, answer);
  terminal.emit(answer);
  if (items.length === 0) terminal.note('no changes');
  const patch = items.map(({ diff }) => diff).join('');
  // In a pipe it must stay byte for byte what git takes; a terminal must not be driven by it.
  if (context.io.stdout.isTTY === true || terminal.json) terminal.write(patch);
  else context.io.stdout.write(patch);
  return exitCodes.ok;
}
