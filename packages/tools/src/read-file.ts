import { AppError } from '@loom/shared/app-error';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { toWorkspacePath } from './confined/confined-path.ts';
import { readConfined } from './confined/read-confined.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { maxReadBytes, pathInput } from './file-input.ts';
import { decodeText } from './text-content.ts';

const input = z
  .strictObject({
    path: pathInput,
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
      `${path} has ${lines.length} lines, so line_start ${start} is behind its end`,
    );
  }
  const last = Math.min(end ?? lines.length, lines.length);
  const selected = lines.slice(start - 1, last).join('\n');
  return `${selected}\n[lines ${start}-${last} of ${lines.length}]`;
}

/** Reads a text file of the workspace, whole or a range of its lines. */
export const readFileTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'read_file',
  description:
    'Read a text file of the workspace. Give line_start and line_end to read a part of a long file.',
  effect: 'read',
  timeout_ms: 30_000,
  input,
  unavailable: () => null,
  async run({ path, line_start, line_end }, context) {
    const workspace = requireWorkspace(context.workspace);
    const content = await readConfined(workspace, path, { max_bytes: maxReadBytes });
    const shown = toWorkspacePath(workspace, path);
    const text = decodeText(content, shown);
    if (text === '') return { text: `[${shown} is empty]` };
    if (line_start === undefined && line_end === undefined) return { text };
    return { text: selectLines(text, shown, line_start ?? 1, line_end) };
  },
};
