import { once } from 'node:events';
import { stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createToolRegistry } from '../registry.ts';
import { shellExecuteTool } from '../shell-execute.ts';
import { contextIn, temporaryDirectory } from '../test-workspace.ts';
import { defaultCommandLimits } from './command-limits.ts';
import { probeSandbox } from './probe-sandbox.ts';
import type { ShellOptions } from './shell-options.ts';

const sandbox = await probeSandbox();
const limits = {
  max_memory_mb: 256,
  max_processes: 64,
  max_file_mb: 4,
  max_output_chars: 20_000,
};
const options: ShellOptions = {
  allow_unsandboxed: false,
  network: false,
  hidden_paths: [],
  sandbox,
  limits,
};

async function scene(fields: Partial<ShellOptions> = {}, context: { network?: boolean } = {}) {
  const workspace = await temporaryDirectory();
  const tools = [shellExecuteTool({ ...options, ...fields })];
  const registry = createToolRegistry(tools, { max_output_chars: 100_000 });
  const run = (command: string, timeout_seconds = 60) =>
    registry.run('shell_execute', { command, timeout_seconds }, contextIn(workspace, context));
  return { workspace, run };
}

/** A server as a database would be one, which counts who came. */
async function listening(server: Server, place: { port: number } | { path: string }) {
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen('port' in place ? { ...place, host: '127.0.0.1' } : place);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' ? address?.port : null, count: () => connections };
}

const connectTo = (target: string) =>
  `node -e 'require("net").connect(${target}).on("connect",()=>{console.log("reached");process.exit()}).on("error",(e)=>console.log("refused",e.code))'`;

describe.runIf(sandbox.works)('a hostile command', () => {
  it('finds no secret in files, environment or other processes', async () => {
    const { workspace, run } = await scene();
    const outside = await temporaryDirectory();
    const secret = join(outside, 'secret');
    await writeFile(secret, 'the-canary\n');
    await symlink(secret, join(workspace, 'link'));
    process.env.LOOM_TEST_SECRET = 'the-canary';
    onTestFinished(() => void delete process.env.LOOM_TEST_SECRET);
    const { text } = await run(
      `cat '${secret}' link '/proc/${process.pid}/root${secret}'; ls '${outside}'; env; cat /proc/*/environ | tr '\\0' '\\n'; cat /etc/shadow /etc/ssl/private/* ~/.ssh/* /root/.*; find / -xdev -name secret 2>/dev/null; echo end`,
    );
    expect(text).not.toContain('the-canary');
    expect(text).toMatch(/No such file or directory[\s\S]*end\n$/);
  });

  it('reaches no server of this machine, by number or by name', async () => {
    const { run } = await scene();
    const tcp = await listening(createServer(), { port: 0 });
    const name = `loom-test-${Math.random()}`;
    const abstract = await listening(createServer(), { path: `\0${name}` });
    const toNumber = connectTo(`{port:${tcp.port},host:"127.0.0.1"}`);
    const toName = connectTo(`{path:"\\0${name}"}`);
    expect((await run(toNumber)).text).toMatch(/^exit code 0\nrefused/);
    expect((await run(toName)).text).toMatch(/^exit code 0\nrefused/);
    expect([tcp.count(), abstract.count()]).toEqual([0, 0]);
    const open = await scene({ network: true });
    expect((await open.run(toNumber)).text).toBe('exit code 0\nreached\n');
    expect((await open.run(toName)).text).toBe('exit code 0\nreached\n');
  });

  it('has the network by grant only where the operator leaves it to grants', async () => {
    const { port } = await listening(createServer(), { port: 0 });
    const connect = connectTo(`{port:${port},host:"127.0.0.1"}`);
    const said = async (network: ShellOptions['network'], granted: boolean) => {
      const { run } = await scene({ network }, { network: granted });
      return (await run(connect)).text.includes('reached');
    };
    expect(await said('granted', true)).toBe(true);
    expect(await said('granted', false)).toBe(false);
    expect(await said(false, true)).toBe(false);
  });

  it('cannot trace or signal a process outside', async () => {
    const { run } = await scene();
    const pid = process.pid;
    const { text } = await run(
      `kill -0 ${pid} && echo signalled; cat /proc/${pid}/maps && echo traced; dd if=/proc/${pid}/mem bs=1 count=1 && echo read; ls /proc | grep -c '^[0-9]'; echo end`,
    );
    expect(text).not.toMatch(/signalled|traced|\nread\n/);
    expect(text).toMatch(/end\n$/);
  });

  it('is stopped when it multiplies itself, and others go on', async () => {
    const { run } = await scene();
    const bomb = await run(':(){ :|:& };:; sleep 50');
    const slow = await run('while :; do sleep 50 & done');
    for (const { text } of [bomb, slow]) {
      expect(text).toMatch(/more than 64 processes and threads\]|[Rr]esource temporarily/);
    }
    const threads = `node -e 'const {Worker}=require("worker_threads");for(let i=0;i<80;i++)new Worker("setInterval(()=>{},1000)",{eval:true}).on("error",()=>{})'`;
    const many = await scene({ limits: { ...limits, max_memory_mb: 2_048 } });
    expect((await many.run(threads)).text).not.toMatch(/^exit code 0/);
    expect((await run('echo alive')).text).toBe('exit code 0\nalive\n');
  });

  it('is stopped when it takes too much memory, alone or together', async () => {
    const { run } = await scene();
    const alone = await run(`node -e 'Buffer.alloc(600e6, 1); console.log("had it")'`);
    expect(alone.exit_code).not.toBe(0);
    expect(alone.text).not.toContain('had it');
    const hold = `node -e 'globalThis.a = Buffer.alloc(90e6, 1); setInterval(() => {}, 1000)'`;
    const together = await run(`${`${hold} & `.repeat(5)} wait`);
    expect(together).toMatchObject({ exit_code: 137 });
    expect(together.text).toContain('together its processes used more than 256 MB of memory');
  });

  it('fills neither the disk with one file nor the temporary directory', async () => {
    const { workspace, run } = await scene();
    const { text } = await run('head -c 9000000 /dev/zero > large; echo "left $?"');
    expect(text).not.toContain('left 0');
    expect((await stat(join(workspace, 'large'))).size).toBe(4 * 1024 * 1024);
    const parts = 'for i in $(seq 200); do head -c 4000000 /dev/zero > /tmp/$i || break; done';
    expect((await run(`${parts}; ls /tmp | wc -l`)).text).toMatch(
      /No space left[\s\S]*\n1[2-4]\d\n$/,
    );
  });

  it('prints as much as it likes, and its beginning and end are kept', async () => {
    const { run } = await scene();
    const { text } = await run('echo first; yes ä | head -n 3000000; echo last');
    expect(text.length).toBeLessThan(limits.max_output_chars + 200);
    expect(text).toMatch(/^exit code 0\nfirst\nä\n[\s\S]*bytes of output cut[\s\S]*ä\nlast\n$/);
    expect(text).not.toContain('\ufffd');
  });
});

it('takes its limits from the configuration', () => {
  expect(defaultCommandLimits).toEqual({
    max_memory_mb: 4_096,
    max_processes: 512,
    max_file_mb: 2_048,
    max_output_chars: 1_000_000,
  });
});
