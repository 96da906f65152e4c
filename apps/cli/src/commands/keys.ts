import { scopeSchema } from '@loom/shared/api';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { type PageOptions, showPage, withPageOptions } from '../show-page.ts';

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  tenant: z.string(),
});

/** `loom keys`: who may speak to the gateway. Needs an admin key. */
export function addKeysCommand(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('list, create and revoke API keys');

  const list = keys.command('list', { isDefault: true }).description('list keys');
  withPageOptions(list).action((options: PageOptions) =>
    context.run(() =>
      showPage(context, '/api/admin/keys', { ...options }, keySchema, {
        header: ['ID', 'NAME', 'SCOPES', 'TENANT'],
        row: ({ id, name, scopes, tenant }) => [id, name, scopes.join(','), tenant],
      }),
    ),
  );

  keys
    .command('create')
    .description('create a key; it is shown once, on stdout')
    .argument('<name>', 'what it is for')
    .addOption(
      new Option('--scope <scope...>', 'what it may do')
        .choices(scopeSchema.options)
        .default(['user']),
    )
    .option('--tenant <tenant>', 'whose it is')
    .action((name: string, { scope, tenant }: { scope: string[]; tenant?: string }) =>
      context.run(async () => {
        const terminal = context.terminal();
        const body = { name, scopes: scope, tenant };
        const answer = await context.client().request('POST', '/api/admin/keys', body);
        const created = readAs(keySchema.extend({ key: z.string() }), answer);
        terminal.emit(answer);
        terminal.note(`${created.id} (${created.scopes.join(', ')}) of tenant ${created.tenant}`);
        terminal.print(created.key);
        return exitCodes.ok;
      }),
    );

  keys
    .command('revoke')
    .description('make a key useless')
    .argument('<id>', 'id of the key')
    .action((id: string) =>
      context.run(async () => {
        const terminal = context.terminal();
        const path = `/api/admin/keys/${encodeURIComponent(id)}`;
        terminal.emit((await context.client().request('DELETE', path)) ?? { id });
        terminal.print(`${id}: revoked`);
        return exitCodes.ok;
      }),
    );
}
