import { queueNames } from '@loom/shared/queues';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { subtaskPath, taskPath } from '../follow-task.ts';

interface RetryOptions {
  newPlan?: boolean;
  tier?: string;
  description?: string;
  queue?: string;
}

/** `loom retry`: what failed in a task runs again, or one subtask; with a queue, one failed job of it. */
export function addRetryCommand(program: Command, context: CommandContext): void {
  program
    .command('retry')
    .description('run again what failed in a task, one subtask, or one failed job')
    .argument('<id>', 'id of the task, or of the job with --queue')
    .argument('[subtask]', 'only this subtask')
    .option('--new-plan', 'have the plan of the task looked at first')
    .addOption(new Option('--tier <tier>', 'model tier for the subtask').choices(['1', '2', '3']))
    .option('--description <text>', 'other words for the subtask')
    .addOption(new Option('--queue <queue>', 'the id is a job of this queue').choices(queueNames))
    .action((id: string, subtask: string | undefined, options: RetryOptions) =>
      context.run(() => retry(context, id, subtask, options)),
    );
}

async function retry(
  context: CommandContext,
  id: string,
  subtask: string | undefined,
  { newPlan, tier, description, queue }: RetryOptions,
): Promise<ExitCode> {
  const isForSubtask = tier !== undefined || description !== undefined;
  if (subtask === undefined && isForSubtask) {
    throw wrongUsage('--tier and --description are for one subtask: name it after the task.');
  }
  if (newPlan && subtask !== undefined) {
    throw wrongUsage('--new-plan is for a whole task: leave the subtask out.');
  }
  if (queue !== undefined && (subtask !== undefined || newPlan)) {
    throw wrongUsage('With --queue only the id of a job is given.');
  }
  const terminal = context.terminal();
  const client = context.client();
  const ask = (path: string, body?: unknown) => client.request('POST', `${path}/retry`, body);
  let answer: unknown;
  if (queue !== undefined) {
    answer = await ask(`/api/admin/queues/${queue}/jobs/${encodeURIComponent(id)}`);
  } else if (subtask === undefined) {
    answer = await ask(taskPath(id), { reuse_existing_plan: !newPlan });
  } else {
    const model_tier = tier === undefined ? undefined : Number(tier);
    answer = await ask(subtaskPath(id, subtask), { description, model_tier });
  }
  terminal.emit(answer ?? { id });
  terminal.print(`${subtask ?? id}: runs again`);
  return exitCodes.ok;
}

function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, { exit_code: exitCodes.usage });
}
