import type { Command } from 'commander';
import { z } from 'zod';
import { readAs } from './api-client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { renderTable } from './render-table.ts';

export interface PageOptions {
  limit: string;
  cursor?: string;
}

interface Columns<T> {
  header: string[];
  row(item: T): string[];
}

/** Adds the options every list has. */
export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <n>', 'how many', '20')
    .option('--cursor <cursor>', 'go on where an earlier list ended');
}

/** Shows one page of a list: the page itself as JSON, or a table and how to get the next. */
export async function showPage<T>(
  context: CommandContext,
  path: string,
  query: Record<string, string | undefined>,
  itemSchema: z.ZodType<T>,
  columns: Columns<T>,
): Promise<ExitCode> {
  const terminal = context.terminal();
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(given).toString();
  const answer = await context.client().request('GET', search === '' ? path : `${path}?${search}`);
  const pageSchema = z.object({
    items: z.array(itemSchema),
    next_cursor: z.string().nullish(),
  });
  const { items, next_cursor } = readAs(pageSchema, answer);
  terminal.emit(answer);
  if (items.length === 0) terminal.note('none');
  else terminal.print(renderTable(columns.header, items.map(columns.row)));
  if (next_cursor) terminal.note(`more: --cursor ${next_cursor}`);
  return exitCodes.ok;
}
