import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { changeablePath } from './confined/changeable-path.ts';
import { versionConfined, versionOfContent } from './confined/version-confined.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { writeConfinedAtomic } from './confined/write-confined-atomic.ts';
import { pathInput } from './file-input.ts';

const maxWriteBytes = 1024 * 1024;

const input = z.strictObject({
  path: pathInput,
  content: z
    .string()
    .refine((content) => Buffer.byteLength(content) <= maxWriteBytes, {
      message: `must be at most ${maxWriteBytes} bytes; split it into smaller files`,
    })
    .describe('The whole new content of the file'),
});

/** Puts a whole file into the workspace, or leaves what was there. */
export const writeFileTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'write_file',
  description:
    'Create a file in the workspace or replace it whole; parent directories are created. To change a part of a file use edit_file.',
  effect: 'idempotent',
  timeout_ms: 30_000,
  input,
  unavailable: () => null,
  async run({ path, content }, context) {
    const workspace = requireWorkspace(context.workspace);
    const shown = changeablePath(workspace, path);
    const bytes = Buffer.from(content);
    const { mode } = await writeConfinedAtomic(workspace, path, bytes, {
      max_bytes: maxWriteBytes,
      signal: context.signal,
      beforeChange: async () => {
        const before = await versionConfined(workspace, path);
        await context.keep.before([{ path: shown, before }]);
      },
    });
    return {
      // The same when the call runs again after a crash and finds the file that it wrote.
      text: `wrote ${shown} (${bytes.length} bytes)`,
      changes: [{ path: shown, after: versionOfContent(bytes, mode) }],
    };
  },
};
