import type { CommandLimits } from './command-limits.ts';

/** Whether commands can be run in a sandbox on this machine, and if not, why. */
export interface SandboxStatus {
  works: boolean;
  reason: string | null;
  /** Where bubblewrap lies; where the system has it unless given. */
  program?: string;
}

/** What the operator allows commands to do. */
export interface ShellOptions {
  allow_unsandboxed: boolean;
  /** Never, always, or where a session grants it. */
  network: boolean | 'granted';
  /** Absolute real paths that no program sees, even where they lie in a workspace. */
  hidden_paths: string[];
  sandbox: SandboxStatus;
  /** The configuration's defaults when there are none. */
  limits?: CommandLimits;
}

/** A sentence why no command can be run here, or null when one can. */
export function shellUnavailable(options: ShellOptions): string | null {
  if (options.sandbox.works || options.allow_unsandboxed) return null;
  const reason = options.sandbox.reason ?? 'the sandbox does not work on this machine';
  return `commands run only in a sandbox, and ${reason}.`;
}

/** Whether a call has the network: as the operator says, or as a session was granted it. */
export function hasNetwork(options: ShellOptions, context: { network: boolean }): boolean {
  return options.network === 'granted' ? context.network : options.network;
}
