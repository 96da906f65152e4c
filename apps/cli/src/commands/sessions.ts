import { resolve } from 'node:path';
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
  withPageOptions(command).action(
    ({ workspace, ...options }: PageOptions & { workspace?: string }) =>
      context.run(() => {
        // A directory is meant as it looks from here, as with "loom chat --workspace".
        const from = workspace === undefined ? {} : { workspace: resolve(workspace) };
        return showPage(context, '/api/sessions', { ...options, ...from }, sessionSchema, {
          header: ['ID', 'STATUS', 'MESSAGES', 'LAST ACTIVITY', 'TITLE'],
          row: ({ id, status, message_count, updated_at, title }) => [
            id,
            status,
            String(message_count),
            updated_at,
            firstLine(title, 60),
          ],
        });
      }),
  );
}
