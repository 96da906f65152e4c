import { lstat, readdir } from 'node:fs/promises';
import { openConfinedDirectory } from './confined-directory.ts';
import { splitConfinedPath, toWorkspacePath } from './confined-path.ts';
import { dataRefusal, isDataDirectory } from './data-directory.ts';
import { fileError } from './file-error.ts';
import { type ConfinedStat, toConfinedStat } from './stat-confined.ts';

export interface ConfinedEntry extends ConfinedStat {
  name: string;
}

/**
 * The entries of a directory by name, at most `max_entries`, and how many there are. Loom's own
 * data is not among them; with `refuse_hidden` a directory that holds it is refused.
 */
export async function listConfined(
  workspace: string,
  path: string,
  options: { max_entries: number; refuse_hidden?: boolean },
): Promise<{ entries: ConfinedEntry[]; total: number }> {
  const directory = await openConfinedDirectory(workspace, splitConfinedPath(workspace, path));
  try {
    const names = (await readdir(directory.path)).sort();
    const entries: ConfinedEntry[] = [];
    let hidden = 0;
    for (const name of names.slice(0, options.max_entries)) {
      const stats = await lstat(directory.pathOf(name)).catch(() => null);
      if (stats === null) continue;
      if (stats.isDirectory() && (await isDataDirectory(directory.pathOf(name)))) {
        if (options.refuse_hidden) throw dataRefusal(`${toWorkspacePath(workspace, path)}/${name}`);
        hidden += 1;
      } else entries.push({ name, ...toConfinedStat(stats) });
    }
    return { entries, total: names.length - hidden };
  } catch (error) {
    throw fileError(error, toWorkspacePath(workspace, path));
  } finally {
    await directory.close();
  }
}
