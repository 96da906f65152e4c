import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';

/** `loom cancel`: asks a task to stop; what runs wraps up, or is ended with `--abort`. */
export function addCancelCommand(program: Command, context: CommandContext): void {
  program
    .command('cancel')
    .description('stop a task; running subtasks wrap up')
    .argument('<task>', 'id of the task')
    .option('--abort', 'stop at once: end model calls and child processes too')
    .addOption(new Option('--now', 'the same').hideHelp())
    .action((id: string, { abort, now }: { abort?: boolean; now?: boolean }) =>
      context.run(async () => {
        const terminal = context.terminal();
        const path = `${taskPath(id)}/${abort || now ? 'abort' : 'cancel'}`;
        terminal.emit((await context.client().request('POST', path)) ?? { id });
        terminal.print(`${id}: asked to stop`);
        return exitCodes.ok;
      }),
    );
}
