import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Check, ok, warn } from './check.ts';

/** What was found out about bubblewrap on this machine. */
export interface SandboxFindings {
  platform: NodeJS.Platform;
  /** Null when there is no bubblewrap. */
  version: string | null;
  /** What it said when it could not make a sandbox; null when it could. */
  failure: string | null;
  /** Settings of the kernel, by path below /proc/sys; null where there is none. */
  sysctl(path: string): string | null;
}

const execute = promisify(execFile);
const probeTimeoutMs = 10_000;
const off = 'until then shell_execute and git_command are off';

const probeArguments = [
  ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent'],
  ...['--new-session', '--cap-drop', 'ALL', 'true'],
];

/** Settings that keep ordinary users from making a sandbox, and what they should be. */
const namespaceSettings = [
  {
    path: 'user/max_user_namespaces',
    refusing: '0',
    name: 'user.max_user_namespaces',
    wanted: '10000',
  },
  {
    path: 'kernel/unprivileged_userns_clone',
    refusing: '0',
    name: 'kernel.unprivileged_userns_clone',
    wanted: '1',
  },
  {
    path: 'kernel/apparmor_restrict_unprivileged_userns',
    refusing: '1',
    name: 'kernel.apparmor_restrict_unprivileged_userns',
    wanted: '0',
  },
];

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 0 && minor < 8;
}

/** Whether commands can run in a sandbox, and if not, the likely reason and its remedy. */
export function explainSandbox(findings: SandboxFindings): Check {
  const { platform, version, failure, sysctl } = findings;
  if (platform !== 'linux') {
    return warn('sandbox', 'bubblewrap exists only on Linux', `run Loom on Linux; ${off}`);
  }
  if (version === null) {
    return warn('sandbox', 'bubblewrap is not installed', `install the package bubblewrap; ${off}`);
  }
  if (failure === null) return ok('sandbox', `bubblewrap ${version} runs`);
  if (isOld(version)) {
    return warn('sandbox', `bubblewrap ${version} is too old`, `install 0.8 or newer; ${off}`);
  }
  const closed = namespaceSettings.find(({ path, refusing }) => sysctl(path) === refusing);
  if (closed) {
    const detail = `user namespaces are off: ${closed.name} = ${closed.refusing}`;
    return warn('sandbox', detail, `run "sysctl -w ${closed.name}=${closed.wanted}"; ${off}`);
  }
  const detail = `bubblewrap ${version} cannot run here: ${failure}`;
  return warn('sandbox', detail, `allow user namespaces, also in the container; ${off}`);
}

function readSysctl(path: string): string | null {
  try {
    return readFileSync(`/proc/sys/${path}`, 'utf8').trim();
  } catch {
    return null;
  }
}

async function bubblewrapVersion(): Promise<string | null> {
  try {
    const { stdout } = await execute('bwrap', ['--version'], { timeout: probeTimeoutMs });
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown';
  } catch {
    return null;
  }
}

async function bubblewrapFailure(): Promise<string | null> {
  try {
    await execute('bwrap', probeArguments, { timeout: probeTimeoutMs });
    return null;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    return said.split('\n', 1)[0]?.replace(/^bwrap: /, '') || 'it gave no reason';
  }
}

/** Tries the sandbox on this machine. */
export async function checkSandbox(): Promise<Check> {
  const version = await bubblewrapVersion();
  return explainSandbox({
    platform: process.platform,
    version,
    failure: version === null ? null : await bubblewrapFailure(),
    sysctl: readSysctl,
  });
}
