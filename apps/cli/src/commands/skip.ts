import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { subtaskPath } from '../follow-task.ts';

/** `loom skip`: ends one subtask without a result. */
export function addSkipCommand(program: Command, context: CommandContext): void {
  program
    .command('skip')
    .description('end one subtask without a result')
    .argument('<task>', 'id of the task')
    .argument('<subtask>', 'id of the subtask')
    .option('--abort', 'do not let it wrap up')
    .action((id: string, subtask: string, { abort }: { abort?: boolean }) =>
      context.run(async () => {
        const terminal = context.terminal();
        const body = { mode: abort ? 'abort' : 'cancel' };
        const path = `${subtaskPath(id, subtask)}/skip`;
        terminal.emit(await context.client().request('POST', path, body));
        terminal.print(`${subtask}: skipped`);
        return exitCodes.ok;
      }),
    );
}
