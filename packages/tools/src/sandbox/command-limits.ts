import { type Config, configSchema } from '@loom/shared/config';

/** What one command may use, with everything it starts. */
export interface CommandLimits {
  /** For each process as a limit of the kernel, and for all of them together as they are watched. */
  max_memory_mb: number;
  /** Processes and threads at one time. */
  max_processes: number;
  /** Of one file. */
  max_file_mb: number;
  /** What is kept of the output, in bytes; the rest is read and dropped. */
  max_output_chars: number;
}

/** The limits that a configuration gives commands. */
export function commandLimits({ limits }: Pick<Config, 'limits'>): CommandLimits {
  const { runner } = limits;
  return {
    max_memory_mb: runner.shell_max_memory_mb,
    max_processes: runner.shell_max_processes,
    max_file_mb: runner.shell_max_file_mb,
    max_output_chars: runner.shell_max_output_chars,
  };
}

/** The limits where nobody has configured any. */
export const defaultCommandLimits: CommandLimits = commandLimits(configSchema.parse({}));
