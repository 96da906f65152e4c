import { resolve } from 'node:path';
import { firstLine } from '@loom/shared/text';
import type { Command } from 'commander';
import { z } from 'zod';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { type PageOptions, showPage, withPageOptions } from '../show-page.ts';

const ruleSchema = z.object({
  id: z.string(),
  workspace: z.string().nullable(),
  rule: z.string(),
  times: z.number(),
});

const path = '/api/learned';

/** `loom learned`: what was learnt from corrections, and how to get rid of it. */
export function addLearnedCommand(program: Command, context: CommandContext): void {
  const learned = withPageOptions(
    program.command('learned').description('list rules learnt from corrections, forget wrong ones'),
  )
    .option('--workspace <dir>', 'only those that hold in this workspace')
    .action(({ workspace, ...options }: PageOptions & { workspace?: string }) =>
      context.run(() => {
        // A directory is meant as it looks from here.
        const where = workspace === undefined ? {} : { workspace: resolve(workspace) };
        return showPage(context, path, { ...options, ...where }, ruleSchema, {
          header: ['ID', 'TIMES', 'WORKSPACE', 'RULE'],
          row: ({ id, times, workspace, rule }) => [
            id,
            String(times),
            workspace ?? '*',
            firstLine(rule, 200),
          ],
        });
      }),
    );

  learned
    .command('forget')
    .description('forget a rule')
    .argument('<id>', 'id of the rule')
    .action((id: string) =>
      context.run(async () => {
        const terminal = context.terminal();
        const answer = await context
          .client()
          .request('DELETE', `${path}/${encodeURIComponent(id)}`);
        terminal.emit(answer ?? { id });
        terminal.print(`${id}: forgotten`);
        return exitCodes.ok;
      }),
    );
}
