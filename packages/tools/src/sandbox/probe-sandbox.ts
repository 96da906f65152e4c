import { access, constants, mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { firstLine } from '@loom/shared/text';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { commandEnvironment } from './command-environment.ts';
import { runProcessGroup } from './run-process-group.ts';
import type { SandboxStatus } from './shell-options.ts';

const probeTimeoutMs = 10_000;

const notInstalled = { works: false, reason: 'bubblewrap (bwrap) is not installed' };

async function tryTrue(workspace: string, program: string): Promise<SandboxStatus> {
  const env = commandEnvironment('probe');
  const run = await runProcessGroup({
    file: program,
    args: [...bubblewrapArguments({ workspace, hidden: [], network: false, env }), 'true'],
    cwd: '/',
    env,
    timeout_ms: probeTimeoutMs,
    signal: new AbortController().signal,
    max_output_bytes: 1_024,
  });
  if (run.exit_code === 0) return { works: true, reason: null, program };
  if (run.exit_code === null) return notInstalled;
  const said = firstLine(run.error_output.replace(/^bwrap: /, ''), 200) || 'it gave no reason';
  return { works: false, reason: `bubblewrap 0.8 or newer does not work here: ${said}` };
}

async function findProgram(name: string, searchPath: string): Promise<string | null> {
  for (const directory of searchPath.split(delimiter)) {
    const candidate = join(directory, name);
    const isThere = access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (directory !== '' && (await isThere)) return candidate;
  }
  return null;
}

async function probe(searchPath: string | null): Promise<SandboxStatus> {
  if (process.platform !== 'linux') {
    return { works: false, reason: 'bubblewrap exists only on Linux' };
  }
  const program = searchPath === null ? 'bwrap' : await findProgram('bwrap', searchPath);
  if (program === null) return notInstalled;
  const workspace = await mkdtemp(join(tmpdir(), 'loom-probe-'));
  try {
    return await tryTrue(workspace, program);
  } finally {
    await rmdir(workspace);
  }
}

const known = new Map<string | null, Promise<SandboxStatus>>();

/**
 * Whether the sandbox works here, found out once a process by running `true` in it. The operator's
 * search path says which bubblewrap is meant; without one it is the system's.
 */
export function probeSandbox(searchPath: string | null = null): Promise<SandboxStatus> {
  const status = known.get(searchPath) ?? probe(searchPath);
  known.set(searchPath, status);
  return status;
}
