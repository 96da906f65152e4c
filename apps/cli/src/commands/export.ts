import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { refusal } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { listenForInterrupts } from '../interrupts.ts';

const formats = ['jsonl', 'markdown'] as const;
type Format = (typeof formats)[number];

/** `loom export`: a whole conversation on stdout, however long, never held whole. */
export function addExportCommand(program: Command, context: CommandContext): void {
  const format = new Option('--format <format>', 'lines of JSON, or a transcript to read')
    .choices(formats)
    .default('jsonl');
  program
    .command('export')
    .description('write a whole conversation to stdout, to keep or to read')
    .argument('<session>', 'id of the session')
    .addOption(format)
    .action((id: string, options: { format: Format }) =>
      context.run(() => exportSession(context, id, options.format)),
    );
}

async function exportSession(
  context: CommandContext,
  id: string,
  format: Format,
): Promise<ExitCode> {
  if (context.terminal().json && format !== 'jsonl') {
    throw new CommandFailure('With --json the format is jsonl: leave one of the two out.', {
      exit_code: exitCodes.usage,
    });
  }
  const abort = new AbortController();
  const interrupts = listenForInterrupts(context.io.signals, async () => false);
  try {
    const path = `/api/sessions/${encodeURIComponent(id)}/export?format=${format}`;
    const response = await context.client().open(path, {}, abort.signal);
    if (!response.ok || response.body === null) throw await refusal(response);
    await Promise.race([copyOut(context, response.body), interrupts.left]);
    return exitCodes.ok;
  } finally {
    interrupts.release();
    abort.abort();
  }
}

/** Passes bytes on as they are and no faster than they are taken; a terminal gets no control characters. */
async function copyOut(context: CommandContext, body: ReadableStream<Uint8Array>): Promise<void> {
  const { stdout } = context.io;
  const terminal = context.terminal();
  const asText = stdout.isTTY === true && !terminal.json;
  const decoder = new TextDecoder();
  for await (const bytes of untilCut(body)) {
    if (asText) terminal.write(decoder.decode(bytes, { stream: true }));
    else if (!stdout.write(bytes)) await once(stdout, 'drain');
  }
}

async function* untilCut(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    throw new CommandFailure('The gateway broke off: what came is not all. Try again.');
  }
}
