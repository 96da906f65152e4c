import type { Command } from 'commander';
import { z } from 'zod';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';

/** `loom steer`: says something to a task while it works; heard at its next step. */
export function addSteerCommand(program: Command, context: CommandContext): void {
  program
    .command('steer')
    .description('say something to a running task; it is heard at the next step')
    .argument('<task>', 'id of the task')
    .argument('<guidance>', 'what to do differently')
    .option('--subtask <id>', 'for this subtask alone')
    .action((id: string, guidance: string, { subtask }: { subtask?: string }) =>
      context.run(async () => {
        const terminal = context.terminal();
        const body = { guidance, subtask_id: subtask };
        const answer = await context.client().request('POST', `${taskPath(id)}/steer`, body);
        const { receipt_id } = readAs(z.object({ receipt_id: z.string() }), answer);
        terminal.emit(answer);
        terminal.print(`${id}: told (receipt ${receipt_id})`);
        return exitCodes.ok;
      }),
    );
}
