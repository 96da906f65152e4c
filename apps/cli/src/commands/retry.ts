import { queueNames } from '@loom/shared/queues';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';

/** `loom retry`: what failed in a task runs again; with a queue, one failed job of it. */
export function addRetryCommand(program: Command, context: CommandContext): void {
  program
    .command('retry')
    .description('run again what failed in a task, or one failed job')
    .argument('<id>', 'id of the task, or of the job with --queue')
    .addOption(new Option('--queue <queue>', 'the id is a job of this queue').choices(queueNames))
    .action((id: string, { queue }: { queue?: string }) =>
      context.run(async () => {
        const terminal = context.terminal();
        const path =
          queue === undefined
            ? `${taskPath(id)}/retry`
            : `/api/admin/queues/${queue}/jobs/${encodeURIComponent(id)}/retry`;
        terminal.emit((await context.client().request('POST', path)) ?? { id });
        terminal.print(`${id}: runs again`);
        return exitCodes.ok;
      }),
    );
}
