import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { CommandLimits } from './command-limits.ts';

/** A bomb that root sets off is met after this long at the latest; the kernel stops everybody else's. */
const intervalMs = 50;
const looksPerWeighing = 5;

function tryTo<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/** True once the sandbox shows its own processes: whoever stands outside has no number among them. */
function isOwnProc(proc: string): boolean {
  return (
    tryTo(() => readlinkSync(`${proc}/self`)) === null &&
    tryTo(() => statSync(`${proc}/1`)) !== null
  );
}

function countThreads(proc: string, pids: readonly string[]): number {
  // A directory has two links more than it has directories in it, here one a thread.
  const links = pids.map((pid) => tryTo(() => statSync(`${proc}/${pid}/task`).nlink) ?? 2);
  return links.reduce((sum, count) => sum + count - 2, 0);
}

/** What the processes hold for themselves; what they share counts for none of them. */
function ownMegabytes(proc: string, pids: readonly string[]): number {
  const kilobytes = pids.map((pid) => {
    const status = tryTo(() => readFileSync(`${proc}/${pid}/status`, 'latin1')) ?? '';
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return kilobytes.reduce((sum, count) => sum + count, 0) / 1_024;
}

/**
 * Looks at all processes of a sandbox while they run and tells once when together they are more
 * than they may be, or hold more memory of their own. Gives the function that ends the watch.
 */
export function watchTree(
  init: number,
  limits: Pick<CommandLimits, 'max_processes' | 'max_memory_mb'>,
  exceeded: (reason: string) => void,
): () => void {
  const proc = `/proc/${init}/root/proc`;
  let isReady = false;
  let looks = 0;
  const look = (): string | null => {
    isReady ||= isOwnProc(proc);
    if (!isReady) return null;
    const pids = (tryTo(() => readdirSync(proc)) ?? []).filter((name) => /^\d+$/.test(name));
    looks += 1;
    if (pids.length > limits.max_processes || countThreads(proc, pids) > limits.max_processes) {
      return `it had more than ${limits.max_processes} processes and threads`;
    }
    if (looks % looksPerWeighing !== 0) return null;
    return ownMegabytes(proc, pids) > limits.max_memory_mb
      ? `together its processes used more than ${limits.max_memory_mb} MB of memory`
      : null;
  };
  const timer = setInterval(() => {
    const reason = look();
    if (reason === null) return;
    clearInterval(timer);
    exceeded(reason);
  }, intervalMs);
  return () => clearInterval(timer);
}
