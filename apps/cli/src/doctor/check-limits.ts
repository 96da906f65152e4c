import type { Config } from '@loom/shared/config';
import { type Check, ok, warn } from './check.ts';

/** Which limits of a command hold here, and who enforces them. */
export function checkLimits(
  { execution, limits: { runner } }: Config,
  machine: { is_sandboxed: boolean; is_root: boolean },
): Check {
  const file = `${runner.shell_max_file_mb} MB a file`;
  const memory = `${runner.shell_max_memory_mb} MB of memory`;
  if (!machine.is_sandboxed) {
    if (!execution.allow_unsandboxed_shell) return ok('limits', 'no commands, so none are needed');
    const detail = `${memory} a process and ${file}; neither their number nor the network nor other files are limited`;
    return warn('limits', detail, 'make the sandbox work, and set allow_unsandboxed_shell = false');
  }
  const together = `${memory} a process and together, ${runner.shell_max_processes} processes, ${file}`;
  return machine.is_root
    ? warn(
        'limits',
        `${together}; the kernel does not count the processes of root, so a watch does`,
        'run Loom as an ordinary user',
      )
    : ok('limits', together);
}
