/** Whether commands can be run in a sandbox on this machine, and if not, why. */
export interface SandboxStatus {
  works: boolean;
  reason: string | null;
}

/** What the operator allows commands to do. */
export interface ShellOptions {
  allow_unsandboxed: boolean;
  network: boolean;
  /** Absolute real paths that no program sees, even where they lie in a workspace. */
  hidden_paths: string[];
  sandbox: SandboxStatus;
}

/** A sentence why no command can be run here, or null when one can. */
export function shellUnavailable(options: ShellOptions): string | null {
  if (options.sandbox.works || options.allow_unsandboxed) return null;
  const reason = options.sandbox.reason ?? 'the sandbox does not work on this machine';
  return `commands run only in a sandbox, and ${reason}.`;
}
