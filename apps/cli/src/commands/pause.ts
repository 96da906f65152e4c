import { taskSchema } from '@loom/shared/api';
import type { Command } from 'commander';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { subtaskPath, taskPath } from '../follow-task.ts';
import { parseObject } from '../parse-object.ts';

/** `loom pause` and `loom resume`: hold a task or one subtask back, and let it go on. */
export function addPauseCommands(program: Command, context: CommandContext): void {
  const ask = async (
    action: 'pause' | 'resume',
    [id, subtask]: [string, string | undefined],
    body?: unknown,
  ): Promise<ExitCode> => {
    const terminal = context.terminal();
    const path = subtask === undefined ? taskPath(id) : subtaskPath(id, subtask);
    const answer = await context.client().request('POST', `${path}/${action}`, body);
    const { status } = readAs(taskSchema.pick({ status: true }), answer);
    terminal.emit(answer);
    const done = action === 'pause' ? 'paused; what runs stops at its next step' : 'goes on';
    terminal.print(subtask === undefined ? `${id}: ${done} (${status})` : `${subtask}: ${done}`);
    return exitCodes.ok;
  };

  program
    .command('pause')
    .description('start nothing new in a task, or hold one subtask back')
    .argument('<task>', 'id of the task')
    .argument('[subtask]', 'only this subtask')
    .action((id: string, subtask?: string) => context.run(() => ask('pause', [id, subtask])));

  program
    .command('resume')
    .description('go on with what was paused')
    .argument('<task>', 'id of the task')
    .argument('[subtask]', 'only this subtask')
    .option('--budget <json>', 'new limits, such as {"max_tokens": 100000}', parseObject)
    .action((id: string, subtask: string | undefined, options: { budget?: object }) =>
      context.run(() => ask('resume', [id, subtask], options)),
    );
}
