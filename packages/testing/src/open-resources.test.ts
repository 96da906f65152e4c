import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { leakedSince, openResources } from './open-resources.ts';

it('names a server and a child process that are still there, until they are gone', async () => {
  const before = openResources();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  expect(leakedSince(before).sort()).toEqual([
    '1 ProcessWrap left open',
    '1 TCPServerWrap left open',
  ]);
  child.kill();
  await once(child, 'exit');
  await new Promise((resolve) => server.close(resolve));
  // The handles go a few turns of the event loop later.
  await expect.poll(() => leakedSince(before)).toEqual([]);
});
