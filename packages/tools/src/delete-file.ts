import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { changeablePath } from './confined/changeable-path.ts';
import { removeConfined } from './confined/remove-confined.ts';
import { versionConfined } from './confined/version-confined.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { pathInput } from './file-input.ts';

const input = z.strictObject({ path: pathInput });

/** Removes one file or one empty directory of the workspace. */
export const deleteFileTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'delete_file',
  description:
    'Delete a file or an empty directory of the workspace. Not the workspace root, and nothing in .git.',
  effect: 'effectful',
  timeout_ms: 30_000,
  input,
  unavailable: () => null,
  async run({ path }, context) {
    const workspace = requireWorkspace(context.workspace);
    const shown = changeablePath(workspace, path);
    const kind = await removeConfined(workspace, path, {
      signal: context.signal,
      beforeChange: async () => {
        const before = await versionConfined(workspace, path);
        await context.keep.before([{ path: shown, before }]);
      },
    });
    if (kind === 'directory') return { text: `deleted the empty directory ${shown}` };
    return { text: `deleted ${shown}`, changes: [{ path: shown, after: null }] };
  },
};
