import { loadKept } from '@loom/db/file-changes/kept-content';
import type { FileVersion } from '@loom/shared/tool';
import { versionConfined } from '@loom/tools/confined/version-confined';
import { type FileInPatch, gitPatch, patchNote } from '@loom/tools/patch/git-patch';
import { readChosen, readView } from './change-view.ts';
import { versionOf } from './disk-file.ts';
import { settleChanges } from './effective-changes.ts';
import { isInScope, type RevertScope } from './revert-scope.ts';
import { type FileStatus, sumChanges } from './sum-changes.ts';

type Client = Parameters<typeof readChosen>[0];

/** The change of one file; what cannot be shown as lines is said in a sentence. */
export interface FileDiff {
  path: string;
  status: FileStatus;
  diff: string;
}

const maxDiffChars = 1_000_000;

/** What the changes of a task come to, file by file; files that are as they were are left out. */
export async function diffTaskFiles(client: Client, asked: RevertScope): Promise<FileDiff[]> {
  const { scope, workspace, changes } = await readChosen(client, asked);
  if (workspace === null) return [];
  const paths = [...changes.keys()];
  const { histories, disk } = await readView(client, { scope, workspace }, paths);
  const diffs: FileDiff[] = [];
  let shown = 0;
  for (const path of paths) {
    const found = versionOf(disk.get(path) ?? { kind: 'none' });
    const settled = settleChanges(histories.get(path) ?? [], found);
    const sum = sumChanges(settled.filter((change) => isInScope(scope, change)));
    if (sum.status === 'unchanged') continue;
    const read = (version: FileVersion | null) =>
      readVersion(client, { tenant_id: scope.tenant_id, workspace, path, found }, version);
    const diff =
      shown < maxDiffChars
        ? gitPatch(path, await read(sum.before), await read(sum.after))
        : patchNote(
            path,
            'is not shown: there is too much to show at once; ask for this file alone',
          );
    const fits = shown + diff.length <= maxDiffChars || shown === 0;
    const text = fits ? diff : patchNote(path, 'has too long a diff to be shown with the others');
    shown += text.length;
    diffs.push({ path, status: sum.status, diff: text });
  }
  return diffs;
}

/** A version with its content: from the disk while the file is still so, else as it was kept. */
async function readVersion(
  client: Client,
  file: { tenant_id: string; workspace: string; path: string; found: FileVersion | null },
  version: FileVersion | null,
): Promise<FileInPatch | null> {
  if (version === null) return null;
  const { hash, mode } = version;
  const onDisk =
    file.found?.hash === hash ? await versionConfined(file.workspace, file.path) : null;
  const content =
    onDisk?.hash === hash && onDisk.content !== null
      ? onDisk.content
      : await loadKept(client, file.tenant_id, hash);
  return { mode, content };
}
