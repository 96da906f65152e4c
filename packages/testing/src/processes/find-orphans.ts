import { readdir, readFile, readlink } from 'node:fs/promises';

/**
 * Processes that carry the marker in their environment or work below the directory.
 * Looks into /proc, so it finds none where there is no such thing.
 */
export async function findOrphans(options: {
  marker: string;
  directory?: string | undefined;
  /** Processes that may still run. */
  except?: readonly number[];
}): Promise<string[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids
      .filter((pid) => pid !== process.pid && !options.except?.includes(pid))
      .map((pid) => describeIfOurs(pid, options.marker, options.directory)),
  );
  return found.filter((line) => line !== null);
}

async function describeIfOurs(
  pid: number,
  marker: string,
  directory: string | undefined,
): Promise<string | null> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const [environment, command, cwd] = await Promise.all([
    read('environ'),
    read('cmdline'),
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
  ]);
  const isOurs =
    environment.split('\0').includes(marker) ||
    (directory !== undefined && (cwd.startsWith(directory) || command.includes(directory)));
  // A zombie has no command line; it is dead and only not yet collected.
  return isOurs && command !== '' ? `${pid}: ${command.replaceAll('\0', ' ').trim()}` : null;
}
