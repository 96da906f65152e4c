import { replaySchema } from '@loom/shared/api';
import type { Command } from 'commander';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { taskPath } from '../follow-task.ts';
import { renderTable } from '../render-table.ts';

/** `loom replay`: a task's state folded from its events alone, held against what is stored. */
export function addReplayCommand(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description('fold a task from its event log and compare it with what is stored')
    .argument('<task>', 'id of the task')
    .action((id: string) =>
      context.run(async () => {
        const terminal = context.terminal();
        const answer = await context.client().request('GET', `${taskPath(id)}/replay`);
        const { matches, differences, state } = readAs(replaySchema, answer);
        terminal.emit(answer);
        terminal.print(`${id}: ${state.status}, ${state.verification}, plan ${state.plan_version}`);
        const rows = state.subtasks.map((subtask) => [
          subtask.id,
          subtask.status,
          String(subtask.attempts),
        ]);
        if (rows.length > 0) terminal.print(renderTable(['SUBTASK', 'STATUS', 'ATTEMPTS'], rows));
        terminal.print(matches ? 'The log and the stored state agree.' : 'They differ:');
        for (const difference of differences) terminal.print(`  ${difference}`);
        return matches ? exitCodes.ok : exitCodes.failed;
      }),
    );
}
