import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { toWorkspacePath } from './confined/confined-path.ts';
import { type ConfinedEntry, listConfined } from './confined/list-confined.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { pathInput } from './file-input.ts';

const maxEntries = 1_000;

const input = z.strictObject({
  path: pathInput
    .optional()
    .describe('Directory relative to the workspace root; default: the root'),
});

function describeEntry(entry: ConfinedEntry): string {
  if (entry.kind === 'directory') return `${entry.name}/`;
  if (entry.kind === 'file') return `${entry.name} (${entry.bytes} bytes)`;
  return `${entry.name} (${entry.kind === 'symlink' ? 'symbolic link' : 'special file'})`;
}

/** Names what lies directly in a directory of the workspace. */
export const listDirectoryTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'list_directory',
  description:
    'List the files and directories directly in a directory of the workspace; directories end with a slash.',
  effect: 'read',
  timeout_ms: 30_000,
  input,
  unavailable: () => null,
  async run({ path = '.' }, context) {
    const workspace = requireWorkspace(context.workspace);
    const { entries, total } = await listConfined(workspace, path, { max_entries: maxEntries });
    if (total === 0) return { text: `[${toWorkspacePath(workspace, path)} is empty]` };
    const lines = entries.map(describeEntry);
    if (total > entries.length) lines.push(`[… ${total - entries.length} more entries]`);
    return { text: lines.join('\n') };
  },
};
