import { AppError } from '@loom/shared/app-error';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { changeablePath } from './confined/changeable-path.ts';
import { readConfined } from './confined/read-confined.ts';
import { versionConfined, versionOfContent } from './confined/version-confined.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { writeConfinedAtomic } from './confined/write-confined-atomic.ts';
import { applyEdit, type Edit } from './edit/apply-edit.ts';
import { unifiedDiff } from './edit/unified-diff.ts';
import { maxReadBytes, pathInput } from './file-input.ts';
import { decodeTextExactly } from './text-content.ts';

const oldStr = z
  .string()
  .min(1, 'must not be empty; to create a file use write_file')
  .describe('The exact text to replace; it must occur once in the file');
const newStr = z.string().describe('The text to put in its place');

const input = z
  .strictObject({
    path: pathInput,
    old_str: oldStr.optional(),
    new_str: newStr.optional(),
    edits: z
      .array(z.strictObject({ old_str: oldStr, new_str: newStr }))
      .min(1)
      .max(100)
      .optional()
      .describe('Several edits, applied in order, all or none; instead of old_str and new_str'),
  })
  .superRefine(({ old_str, new_str, edits }, context) => {
    const single = old_str !== undefined && new_str !== undefined;
    const none = old_str === undefined && new_str === undefined;
    if (edits === undefined ? single : none) return;
    context.addIssue({ code: 'custom', message: 'give either old_str and new_str, or edits' });
  });

function editsOf({ old_str, new_str, edits }: z.infer<typeof input>): Edit[] {
  return edits ?? [{ old_str: old_str ?? '', new_str: new_str ?? '' }];
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, edit, index) => {
    const label = edits.length === 1 ? 'the edit' : `edit ${index + 1} of ${edits.length}`;
    return applyEdit(current, edit, label);
  }, text);
}

/** Replaces exact, unique pieces of a file, all of them or none. */
export const editFileTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'edit_file',
  description:
    'Change a text file of the workspace by replacing old_str, which must occur exactly once, with new_str; or apply several such edits at once, all or none. Answers with a diff.',
  effect: 'effectful',
  timeout_ms: 30_000,
  input,
  unavailable: () => null,
  async run(request, context) {
    const workspace = requireWorkspace(context.workspace);
    const shown = changeablePath(workspace, request.path);
    const content = await readConfined(workspace, request.path, { max_bytes: maxReadBytes });
    const before = decodeTextExactly(content, shown);
    const after = applyEdits(before, editsOf(request));
    if (after === before) {
      throw new AppError(
        'tool_failed',
        `the edit would leave ${shown} as it is; give a new_str that differs from old_str`,
      );
    }
    const bytes = Buffer.from(after);
    const { mode } = await writeConfinedAtomic(workspace, request.path, bytes, {
      max_bytes: maxReadBytes,
      signal: context.signal,
      beforeChange: async () => {
        const version = await versionConfined(workspace, request.path);
        if (version?.hash !== versionOfContent(content, 0).hash) {
          throw new AppError(
            'conflict',
            `${shown} was changed by someone else meanwhile; read it again and repeat the edit`,
          );
        }
        await context.keep.before([{ path: shown, before: version }]);
      },
    });
    return {
      text: unifiedDiff(shown, before, after),
      changes: [{ path: shown, after: versionOfContent(bytes, mode) }],
    };
  },
};
