import { AppError } from '@loom/shared/app-error';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { headConfined } from './confined/head-confined.ts';
import { readConfined } from './confined/read-confined.ts';
import { type ReadablePlace, readablePlace } from './confined/readable-place.ts';
import { mayBeDocument } from './documents/may-be-document.ts';
import { maxReadBytes, readPathInput } from './file-input.ts';
import { decodeText, isBinary } from './text-content.ts';

const maxDocumentBytes = 50 * 1024 * 1024;
/** The part of a file that tells what it is. */
const headBytes = 512 * 1024;

const input = z
  .strictObject({
    path: readPathInput,
    line_start: z.number().int().min(1).optional().describe('First line, counted from 1'),
    line_end: z.number().int().min(1).optional().describe('Last line, inclusive'),
  })
  .refine(({ line_start = 1, line_end }) => line_end === undefined || line_end >= line_start, {
    path: ['line_end'],
    message: 'must not be smaller than line_start',
  });

function selectLines(text: string, path: string, start: number, end: number | undefined): string {
  const lines = text.split('\n');
  // The end of the last line is not the beginning of another.
  if (lines.at(-1) === '') lines.pop();
  if (start > lines.length) {
    throw new AppError(
      'invalid_request',
      `${path} has ${lines.length} lines, so line_start ${start} is behind its end; use a smaller one`,
    );
  }
  const last = Math.min(end ?? lines.length, lines.length);
  const selected = lines.slice(start - 1, last).join('\n');
  return `${selected}\n[lines ${start}-${last} of ${lines.length}]`;
}

type FileContent = { text: string } | { description: string };

/** The text of a file, or a sentence about one that has none. Parsers are loaded when one is met. */
async function readContent(place: ReadablePlace, signal: AbortSignal): Promise<FileContent> {
  const shown = place.show(place.path);
  const { head, bytes } = await headConfined(place.root, place.path, { max_bytes: headBytes });
  if (mayBeDocument(head, shown)) {
    const limits = { max_bytes: maxDocumentBytes };
    const content = await readConfined(place.root, place.path, limits);
    const { documentText } = await import('./documents/document-text.ts');
    const document = await documentText(content, shown, signal);
    if (document !== null) return { text: document.text };
  }
  if (isBinary(head)) {
    const { describeBinary } = await import('./documents/describe-binary.ts');
    return { description: await describeBinary(head, bytes, shown) };
  }
  const content = await readConfined(place.root, place.path, { max_bytes: maxReadBytes });
  return { text: decodeText(content) };
}

/** Reads a file of the workspace or of a read root, whole or a range of its lines. */
export const readFileTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'read_file',
  description:
    'Read a file of the workspace: text, or the text of a PDF, Word, PowerPoint or Excel document; of images and other binary files what they are. Give line_start and line_end to read a part of a long file.',
  effect: 'read',
  timeout_ms: 30_000,
  input,
  unavailable: () => null,
  async run({ path, line_start, line_end }, context) {
    const place = readablePlace(context, path);
    const content = await readContent(place, context.signal);
    if ('description' in content) return { text: content.description };
    const shown = place.show(place.path);
    if (content.text === '') return { text: `[${shown} is empty]` };
    if (line_start === undefined && line_end === undefined) return { text: content.text };
    return { text: selectLines(content.text, shown, line_start ?? 1, line_end) };
  },
};
