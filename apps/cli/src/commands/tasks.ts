import { taskListItemSchema } from '@loom/shared/api';
import { taskStatusSchema } from '@loom/shared/statuses';
import { firstLine } from '@loom/shared/text';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type PageOptions, showPage, withPageOptions } from '../show-page.ts';

/** `loom tasks`: delegations, newest first. */
export function addTasksCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('tasks')
    .description('list tasks')
    .addOption(
      new Option('--status <status>', 'only those in this status').choices(
        taskStatusSchema.options,
      ),
    );
  withPageOptions(command).action((options: PageOptions & { status?: string }) =>
    context.run(() =>
      showPage(context, '/api/tasks', { ...options }, taskListItemSchema, {
        header: ['ID', 'STATUS', 'VERIFICATION', 'CREATED', 'GOAL'],
        row: ({ id, status, verification, created_at, goal }) => [
          id,
          status,
          verification,
          created_at,
          firstLine(goal, 60),
        ],
      }),
    ),
  );
}
