import type { Command } from 'commander';
import { z } from 'zod';
import type { CommandContext } from '../command-context.ts';
import { taskPath } from '../follow-task.ts';
import { type PageOptions, showPage, withPageOptions } from '../show-page.ts';

const changedFileSchema = z.object({
  path: z.string(),
  status: z.string(),
  changes: z.array(z.object({ tool: z.string(), subtask_id: z.string().nullable() })),
  revertible: z.boolean(),
  reason: z.string().nullable(),
});

type FileOptions = PageOptions & { subtask?: string };

/** `loom files`: what a task did to files, and which of them can be put back. */
export function addFilesCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('files')
    .description('list the files that a task changed')
    .argument('<task>', 'id of the task')
    .option('--subtask <id>', 'only those of this subtask');
  withPageOptions(command).action((id: string, { subtask, limit, cursor }: FileOptions) =>
    context.run(() => {
      const query = { limit, cursor, subtask_id: subtask };
      return showPage(context, `${taskPath(id)}/files`, query, changedFileSchema, {
        header: ['STATUS', 'PATH', 'BY', 'REVERT'],
        row: ({ status, path, changes, revertible, reason }) => [
          status,
          path,
          [...new Set(changes.map((change) => change.subtask_id ?? change.tool))].join(', '),
          revertible ? 'yes' : `no: ${reason ?? ''}`,
        ],
      });
    }),
  );
}
