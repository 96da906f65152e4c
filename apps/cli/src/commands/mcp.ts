import { firstLine } from '@loom/shared/text';
import type { Command } from 'commander';
import { z } from 'zod';
import { readAs } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainText } from '../plain-text.ts';
import { showPage } from '../show-page.ts';

const pinSchema = z.object({
  tenant: z.string(),
  server: z.string(),
  name: z.string(),
  status: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
  approved_by: z.string().nullable(),
  hash: z.string(),
});
const pinsSchema = z.object({ items: z.array(pinSchema) });
type Pin = z.infer<typeof pinSchema>;

const path = '/api/admin/mcp';

/** `loom mcp`: tools of MCP servers, and the approval of those that are new or changed. Needs an admin key. */
export function addMcpCommand(program: Command, context: CommandContext): void {
  const mcp = program
    .command('mcp')
    .description('list tools of MCP servers, approve new and changed ones')
    .action(() => context.run(() => listPins(context)));

  mcp
    .command('approve')
    .description('approve tools as their server describes them now')
    .argument('<server>', 'name of the server')
    .argument('[tools...]', 'names of tools; all that wait when left out')
    .option('--tenant <tenant>', 'whose connection to the server', '*')
    .action((server: string, tools: string[], { tenant }: { tenant: string }) =>
      context.run(() => approve(context, { server, tools, tenant })),
    );
}

function listPins(context: CommandContext) {
  return showPage(context, path, {}, pinSchema, {
    header: ['SERVER', 'TOOL', 'STATUS', 'TENANT', 'APPROVED BY', 'DESCRIPTION'],
    row: (pin) => [
      pin.server,
      pin.name,
      pin.status,
      pin.tenant,
      pin.approved_by ?? '-',
      firstLine(pin.description, 60),
    ],
  });
}

async function approve(
  context: CommandContext,
  asked: { server: string; tools: string[]; tenant: string },
) {
  const { server, tools, tenant } = asked;
  const terminal = context.terminal();
  const { items } = readAs(pinsSchema, await context.client().request('GET', path));
  const known = items.filter((pin) => pin.server === server && pin.tenant === tenant);
  const missing = tools.find((name) => !known.some((pin) => pin.name === name));
  if (missing !== undefined) {
    throw new CommandFailure(`${server} has no tool ${missing}. See "loom mcp".`);
  }
  const waiting = known.filter(
    ({ name, status }) => status !== 'approved' && (tools.length === 0 || tools.includes(name)),
  );
  if (waiting.length === 0) {
    terminal.emit({ items: [] });
    terminal.note(`nothing of ${server} waits for approval`);
    return exitCodes.ok;
  }
  // What is shown here is what is approved, even if the server changes it meanwhile.
  for (const pin of waiting) terminal.note(describe(pin));
  const body = {
    tenant,
    tools: waiting.map(({ name }) => name),
    hashes: Object.fromEntries(waiting.map(({ name, hash }) => [name, hash])),
  };
  const answer = await context
    .client()
    .request('POST', `${path}/${encodeURIComponent(server)}/approve`, body);
  terminal.emit(answer);
  for (const { name } of readAs(pinsSchema, answer).items) {
    terminal.print(`${server} ${name}: approved`);
  }
  return exitCodes.ok;
}

function describe({ name, description, input_schema }: Pin): string {
  return plainText(`${name}: ${description}\n  input: ${JSON.stringify(input_schema)}`);
}
