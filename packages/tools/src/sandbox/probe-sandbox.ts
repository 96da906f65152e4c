import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstLine } from '@loom/shared/text';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { commandEnvironment } from './command-environment.ts';
import { runProcessGroup } from './run-process-group.ts';
import type { SandboxStatus } from './shell-options.ts';

const probeTimeoutMs = 10_000;

async function tryTrue(workspace: string): Promise<SandboxStatus> {
  const env = commandEnvironment('probe');
  const run = await runProcessGroup({
    file: 'bwrap',
    args: [...bubblewrapArguments({ workspace, hidden: [], network: false, env }), 'true'],
    cwd: '/',
    env,
    timeout_ms: probeTimeoutMs,
    signal: new AbortController().signal,
    max_output_bytes: 1_024,
  });
  if (run.exit_code === 0) return { works: true, reason: null };
  if (run.exit_code === null) {
    return { works: false, reason: 'bubblewrap (bwrap) is not installed' };
  }
  const said = firstLine(run.error_output.replace(/^bwrap: /, ''), 200) || 'it gave no reason';
  return { works: false, reason: `bubblewrap 0.8 or newer does not work here: ${said}` };
}

async function probe(): Promise<SandboxStatus> {
  if (process.platform !== 'linux') {
    return { works: false, reason: 'bubblewrap exists only on Linux' };
  }
  const workspace = await mkdtemp(join(tmpdir(), 'loom-probe-'));
  try {
    return await tryTrue(workspace);
  } finally {
    await rmdir(workspace);
  }
}

let known: Promise<SandboxStatus> | null = null;

/** Whether the sandbox works here, found out once a process by running `true` in it. */
export function probeSandbox(): Promise<SandboxStatus> {
  known ??= probe();
  return known;
}
