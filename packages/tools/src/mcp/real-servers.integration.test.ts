import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contextIn, temporaryDirectory } from '../test-workspace.ts';
import { patient } from './test-support/hostile-server.ts';
import { openMcpWorld } from './test-support/mcp-world.ts';

const require = createRequire(import.meta.url);

function program(name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist/index.js');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The address of server-everything as an HTTP server of the running test's own. */
async function serveEverything(): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [program('server-everything'), 'streamableHttp'], {
    env: { PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for await (const [chunk] of on(child.stderr)) if (`${chunk}`.includes('listening on port')) break;
  return `http://127.0.0.1:${port}/mcp`;
}

async function* on(stream: NodeJS.ReadableStream): AsyncGenerator<unknown[]> {
  for (;;) yield await once(stream, 'data');
}

const overStdio = async () => ({
  command: 'node',
  args: [program('server-everything'), 'stdio'],
  ...patient,
});
const overHttp = async () => ({ url: await serveEverything(), ...patient });

describe.each([
  ['over stdio', overStdio],
  ['over HTTP', overHttp],
])('server-everything %s', (_, server) => {
  test('answers with text, sums, images and structure', async () => {
    const world = await openMcpWorld({ servers: { every: await server() } });
    expect(await world.run('every__echo', { message: 'hi' })).toEqual({
      ok: true,
      text: 'Echo: hi',
    });
    expect((await world.run('every__get-sum', { a: 2, b: 40 })).text).toContain('42');
    const context = contextIn(null);
    const image = await world.run('every__get-tiny-image', {}, context);
    expect(image.text).toContain('[image.png, image/png, 4033 bytes: kept as artifact af_1]');
    const kept = context.artifacts.get('af_1');
    expect(kept).toMatchObject({ kind: 'image', source: 'every__get-tiny-image' });
    expect(kept?.content.subarray(1, 4).toString()).toBe('PNG');
    const resource = { resourceType: 'Text', resourceId: 1 };
    await world.run('every__get-resource-reference', resource, context);
    expect(context.artifacts.get('af_2')).toMatchObject({ kind: 'text', mime: 'text/plain' });
  });

  test('is told what is wrong with a call before the server sees it', async () => {
    const world = await openMcpWorld({ servers: { every: await server() } });
    const { text } = await world.run('every__get-sum', { a: 'two' });
    expect(text).toContain('"a": Invalid input: expected number');
    expect(text).toContain('{"a": number, "b": number}');
  });

  test('tells of its progress, and stops when it is cancelled', async () => {
    const world = await openMcpWorld({ servers: { every: await server() } });
    const short = contextIn(null);
    const name = 'every__trigger-long-running-operation';
    await world.run(name, { duration: 0.2, steps: 3 }, short);
    expect(short.printed[0]).toBe('1 of 3\n');

    const stop = new AbortController();
    const long = contextIn(null, { signal: stop.signal });
    const running = world.run(name, { duration: 600, steps: 6_000 }, long);
    await expect.poll(() => long.printed.length, { timeout: 20_000 }).toBeGreaterThan(0);
    stop.abort();
    expect(await running).toMatchObject({ ok: false, error_code: 'cancelled' });
    expect((await world.run('every__echo', { message: 'hi' })).ok).toBe(true);
  });
});

describe('server-filesystem', () => {
  async function filesystem(directory: string, asked: string[]) {
    const args = [program('server-filesystem'), ...asked];
    const server = { command: 'node', args, directories: [directory], ...patient };
    return openMcpWorld({ servers: { files: server } });
  }

  test('works in its directory', async () => {
    const directory = await temporaryDirectory();
    const world = await filesystem(directory, [directory]);
    const path = join(directory, 'a.txt');
    expect((await world.run('files__write_file', { path, content: 'kept' })).ok).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('kept');
    expect((await world.run('files__read_text_file', { path })).text).toBe('kept');
  });

  test('has nothing beyond it, even where it believes that it may', async () => {
    const [directory, other] = [await temporaryDirectory(), await temporaryDirectory()];
    await writeFile(join(other, 'secret'), 'not given');
    await symlink(other, join(directory, 'way-out'));
    const world = await filesystem(directory, ['/']);
    for (const path of [
      join(other, 'secret'),
      join(directory, 'way-out', 'secret'),
      '/etc/shadow',
    ]) {
      const read = await world.run('files__read_text_file', { path });
      expect(read.ok).toBe(false);
      expect(read.text).not.toContain('not given');
    }
    const path = join(other, 'new');
    await world.run('files__write_file', { path, content: 'x' });
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});
