import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';

/** `loom cancel`: asks a task to stop; what runs wraps up, or is ended with `--now`. */
export function addCancelCommand(program: Command, context: CommandContext): void {
  program
    .command('cancel')
    .description('stop a task; running subtasks wrap up')
    .argument('<task>', 'id of the task')
    .option('--now', 'abort: end model calls and child processes too')
    .action((id: string, { now }: { now?: boolean }) =>
      context.run(async () => {
        const terminal = context.terminal();
        const path = `${taskPath(id)}/${now ? 'abort' : 'cancel'}`;
        terminal.emit((await context.client().request('POST', path)) ?? { id });
        terminal.print(`${id}: asked to stop`);
        return exitCodes.ok;
      }),
    );
}
