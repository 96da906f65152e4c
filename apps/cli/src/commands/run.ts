import { resolve } from 'node:path';
import { taskSchema } from '@loom/shared/api';
import type { Command } from 'commander';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { followTask, taskExitCode, taskPath } from '../follow-task.ts';
import { listenForInterrupts } from '../interrupts.ts';
import { renderTaskResult } from '../render-task-result.ts';

interface RunOptions {
  workspace?: string;
  readRoot?: string[];
}

/** `loom run`: delegate a goal, watch it, and report how it ended. */
export function addRunCommand(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description('delegate a goal and wait; Ctrl-C cancels the task first, then leaves')
    .argument('<goal>', 'what is to be done')
    .option('--workspace <dir>', 'directory the task may work in')
    .option('--read-root <dir...>', 'directories beside it that the task may read')
    .action((goal: string, options: RunOptions) => context.run(() => run(context, goal, options)));
}

async function run(context: CommandContext, goal: string, options: RunOptions): Promise<ExitCode> {
  const terminal = context.terminal();
  const client = context.client();
  const workspace = options.workspace === undefined ? undefined : resolve(options.workspace);
  const read_roots = options.readRoot?.map((path) => resolve(path));
  const accepted = await client.request('POST', '/api/tasks', { goal, workspace, read_roots });
  const { id } = readAs(taskSchema.pick({ id: true }), accepted);
  const interrupts = listenForInterrupts(context.io.signals, async () => {
    terminal.note('cancelling the task; Ctrl-C again leaves it to end by itself');
    await client.request('POST', `${taskPath(id)}/cancel`);
    return true;
  });
  try {
    const task = await Promise.race([followTask(client, terminal, id), interrupts.left]);
    terminal.print(renderTaskResult(task));
    return interrupts.heard() ? exitCodes.interrupted : taskExitCode(task);
  } finally {
    interrupts.release();
  }
}
