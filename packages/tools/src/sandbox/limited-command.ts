/** A runaway process fails to allocate beyond this. */
const maxDataKilobytes = 4 * 1024 * 1024;
/** Writing a larger file fails. */
const maxFileBlocks = 4 * 1024 * 1024;
/** Starting one more process or thread fails; the kernel exempts root, so do not run as root. */
const maxProcesses = 1_024;

/**
 * The arguments of a shell that limits itself and then becomes the command, with
 * both outputs in one stream. Memory is bounded as data, not as address space,
 * of which modern runtimes reserve far more than they use.
 */
export function limitedCommand(
  command: string,
  limits: { cpu_seconds: number; processes: boolean },
): string[] {
  const script = [
    'exec 2>&1',
    'limit() { ulimit "$@" 2>/dev/null || :; }',
    'limit -c 0',
    `limit -d ${maxDataKilobytes}`,
    `limit -f ${maxFileBlocks}`,
    `limit -t ${Math.ceil(limits.cpu_seconds)}`,
    // bash says -u, dash says -p; the wrong one fails and changes nothing that matters.
    ...(limits.processes
      ? [`ulimit -u ${maxProcesses} 2>/dev/null || limit -p ${maxProcesses}`]
      : []),
    'if [ -x /bin/bash ]; then exec /bin/bash -c "$1"; fi',
    'exec /bin/sh -c "$1"',
  ].join('\n');
  return ['/bin/sh', '-c', script, 'sh', command];
}
