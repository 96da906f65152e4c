import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onFileEnd } from '@loom/testing/file-end';
import { openRoles, type RolesOptions } from './open-roles.ts';

/** The argument that makes the bench's program a worker. */
export const workerArgument = 'worker';

const program = fileURLToPath(new URL('./main.js', import.meta.url));

/** Starts the roles in a process of their own and waits until they work. */
export async function startWorkerProcess(
  options: RolesOptions,
): Promise<{ stop(): Promise<void> }> {
  const child = fork(program, [workerArgument], { stdio: ['ignore', 2, 2, 'ipc'] });
  const stop = () => stopProcess(child);
  onFileEnd(stop);
  child.send(options);
  const exited = once(child, 'exit').then(() => {
    throw new Error(`the process of ${options.roles.join(', ')} ended`);
  });
  // Only its end before it was ready matters here.
  exited.catch(() => {});
  await Promise.race([once(child, 'message'), exited]);
  return { stop };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  const forced = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exited;
  clearTimeout(forced);
}

/** What such a process does: works until its parent lets go of it or is gone. */
export async function serveAsWorker(): Promise<void> {
  // Ctrl-C reaches the whole group; the parent decides what it means.
  process.on('SIGINT', () => {});
  const released = once(process, 'disconnect');
  const [options] = (await once(process, 'message')) as [RolesOptions];
  const roles = await openRoles(options);
  process.send?.('ready');
  await released;
  await roles.stop();
}
