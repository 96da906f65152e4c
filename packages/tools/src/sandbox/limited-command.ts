import type { CommandLimits } from './command-limits.ts';

const blocksPerMegabyte = 2_048;

/**
 * The arguments of a shell that limits itself and then becomes the program, with
 * both outputs in one stream. Memory is bounded as data, not as address space,
 * of which modern runtimes reserve far more than they use. These limits hold for each
 * process; what a tree uses together, and how many processes root has, is watched.
 */
export function limitedCommand(
  argv: readonly string[],
  limits: CommandLimits & { cpu_seconds: number; count_processes: boolean },
): string[] {
  const script = [
    'exec 2>&1',
    'limit() { ulimit "$@" 2>/dev/null || :; }',
    'limit -c 0',
    `limit -d ${limits.max_memory_mb * 1_024}`,
    `limit -f ${limits.max_file_mb * blocksPerMegabyte}`,
    `limit -t ${Math.ceil(limits.cpu_seconds)}`,
    // bash says -u, dash says -p; the wrong one fails and changes nothing that matters.
    ...(limits.count_processes
      ? [`ulimit -u ${limits.max_processes} 2>/dev/null || limit -p ${limits.max_processes}`]
      : []),
    'exec "$@"',
  ].join('\n');
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}
