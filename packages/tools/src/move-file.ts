import { AppError } from '@loom/shared/app-error';
import type { FileAfter, FileBefore, ToolContext, ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import { changeablePath } from './confined/changeable-path.ts';
import { moveConfined } from './confined/move-confined.ts';
import { versionConfined } from './confined/version-confined.ts';
import { walkConfined } from './confined/walk-confined.ts';
import { requireWorkspace } from './confined/workspace.ts';
import { pathInput } from './file-input.ts';

const maxMovedFiles = 1_000;
const maxMovedBytes = 200 * 1024 * 1024;
/** What is held in memory before it is kept. */
const batchBytes = 16 * 1024 * 1024;

const input = z.strictObject({
  source: pathInput.describe('The file or directory to move, relative to the workspace root'),
  destination: pathInput.describe(
    'Its new path (not the directory to put it in); it must not exist yet',
  ),
});

interface Move {
  workspace: string;
  source: string;
  destination: string;
}

/** Keeps every file that moves and says how each of them will be found afterwards. */
async function keepMoved(move: Move, files: string[], context: ToolContext): Promise<FileAfter[]> {
  const changes: FileAfter[] = [];
  let batch: FileBefore[] = [];
  let batched = 0;
  let total = 0;
  for (const path of files) {
    context.signal.throwIfAborted();
    const before = await versionConfined(move.workspace, path);
    if (before === null)
      throw new AppError('conflict', `${path} was removed meanwhile; look again`);
    const { content, ...version } = before;
    total += version.size;
    if (total > maxMovedBytes) {
      throw new AppError(
        'tool_failed',
        `${move.source} holds more than ${maxMovedBytes} bytes; move smaller parts of it, one at a time`,
      );
    }
    const moved = `${move.destination}${path.slice(move.source.length)}`;
    batch.push({ path, before }, { path: moved, before: null });
    changes.push({ path, after: null }, { path: moved, after: version });
    batched += content?.length ?? 0;
    if (batched < batchBytes) continue;
    await context.keep.before(batch);
    batch = [];
    batched = 0;
  }
  if (batch.length > 0) await context.keep.before(batch);
  return changes;
}

function requireApart({ source, destination }: Move): void {
  if (!`${destination}/`.startsWith(`${source}/`)) return;
  const reason =
    source === destination
      ? 'source and destination are the same path'
      : `${destination} lies inside ${source}, and a directory cannot be moved into itself`;
  throw new AppError('invalid_request', `${reason}; choose another destination`);
}

/** Gives a file or a directory of the workspace another path. */
export const moveFileTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'move_file',
  description:
    'Move or rename a file or directory of the workspace; parent directories are created. The destination must not exist. Nothing in .git.',
  effect: 'effectful',
  timeout_ms: 60_000,
  input,
  unavailable: () => null,
  async run(request, context) {
    const workspace = requireWorkspace(context.workspace);
    const source = changeablePath(workspace, request.source);
    const destination = changeablePath(workspace, request.destination);
    const move = { workspace, source, destination };
    requireApart(move);
    let changes: FileAfter[] = [];
    await moveConfined(workspace, source, destination, {
      signal: context.signal,
      beforeChange: async (kind) => {
        const walk = { max_files: maxMovedFiles, signal: context.signal };
        const files = kind === 'file' ? [source] : await walkConfined(workspace, source, walk);
        changes = await keepMoved(move, files, context);
      },
    });
    const count = changes.length / 2;
    const files =
      changes[0]?.path === source ? '' : ` (${count} ${count === 1 ? 'file' : 'files'})`;
    return { text: `moved ${source} to ${destination}${files}`, changes };
  },
};
