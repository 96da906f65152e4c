import { sessionSchema } from '@loom/shared/api';
import { firstLine } from '@loom/shared/text';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type PageOptions, showPage, withPageOptions } from '../show-page.ts';

/** `loom sessions`: conversations, newest first. */
export function addSessionsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('sessions')
    .description('list conversations')
    .option('--workspace <dir>', 'only those of this workspace');
  withPageOptions(command).action((options: PageOptions & { workspace?: string }) =>
    context.run(() =>
      showPage(context, '/api/sessions', { ...options }, sessionSchema, {
        header: ['ID', 'STATUS', 'MESSAGES', 'UPDATED', 'TITLE'],
        row: ({ id, status, message_count, updated_at, title }) => [
          id,
          status,
          String(message_count),
          updated_at,
          firstLine(title, 60),
        ],
      }),
    ),
  );
}
