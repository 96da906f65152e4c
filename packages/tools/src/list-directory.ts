import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { type ConfinedEntry, listConfined } from './confined/list-confined.ts';
import { readablePlace } from './confined/readable-place.ts';
import { readPathInput } from './file-input.ts';

const maxEntries = 1_000;

const input = z.strictObject({
  path: readPathInput.optional().describe('Directory to list; default: the workspace root'),
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
    const place = readablePlace(context, path);
    const { entries, total } = await listConfined(place.root, place.path, {
      max_entries: maxEntries,
    });
    if (total === 0) return { text: `[${place.show(place.path)} is empty]` };
    const lines = entries.map(describeEntry);
    if (total > entries.length) lines.push(`[… ${total - entries.length} more entries]`);
    return { text: lines.join('\n') };
  },
};
