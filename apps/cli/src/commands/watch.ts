import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { followTask, taskExitCode } from '../follow-task.ts';
import { listenForInterrupts } from '../interrupts.ts';
import { renderTaskResult } from '../render-task-result.ts';

/** `loom watch`: a task's events from its beginning to its end; leaving does not touch the task. */
export function addWatchCommand(program: Command, context: CommandContext): void {
  program
    .command('watch')
    .description('follow a task until it ends; survives a restart of the gateway')
    .argument('<task>', 'id of the task')
    .action((id: string) =>
      context.run(async () => {
        const terminal = context.terminal();
        const interrupts = listenForInterrupts(context.io.signals, async () => false);
        try {
          const following = followTask(context.client(), terminal, id);
          const task = await Promise.race([following, interrupts.left]);
          terminal.print(renderTaskResult(task));
          return taskExitCode(task);
        } finally {
          interrupts.release();
        }
      }),
    );
}
