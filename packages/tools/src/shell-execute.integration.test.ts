import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { JsonValue } from '@loom/shared/json';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createToolRegistry } from './registry.ts';
import { bubblewrapArguments } from './sandbox/bubblewrap-arguments.ts';
import { defaultCommandLimits } from './sandbox/command-limits.ts';
import { probeSandbox } from './sandbox/probe-sandbox.ts';
import { runInSandbox } from './sandbox/run-in-sandbox.ts';
import type { ShellOptions } from './sandbox/shell-options.ts';
import { shellExecuteTool } from './shell-execute.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const probed = await probeSandbox();
const limits = { ...defaultCommandLimits, max_output_chars: 200_000 };
const sandboxed: ShellOptions = {
  allow_unsandboxed: false,
  network: false,
  hidden_paths: [],
  sandbox: probed,
  limits,
};
const plain: ShellOptions = {
  allow_unsandboxed: true,
  network: false,
  hidden_paths: [],
  sandbox: { works: false, reason: 'bubblewrap (bwrap) is not installed' },
  limits,
};

async function scene(options: ShellOptions, signal?: AbortSignal) {
  const workspace = await temporaryDirectory();
  const registry = createToolRegistry([shellExecuteTool(options)], { max_output_chars: 400_000 });
  const context = contextIn(workspace, signal && { signal });
  const call = (args: JsonValue) => registry.run('shell_execute', args, context);
  return { workspace, context, call, run: (command: string) => call({ command }) };
}

/** The ids of this machine's processes whose command line contains the mark. */
async function processesWith(mark: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return ids.filter((_, index) => lines[index]?.includes(mark));
}

/** For a busy machine; what is awaited usually holds at once. */
const patiently = { timeout: 10_000, interval: 20 };

const both: [string, ShellOptions][] = [['without a sandbox', plain]];
if (probed.works) both.unshift(['in the sandbox', sandboxed]);

describe.each(both)('a command %s', (_, options) => {
  it('runs in the workspace and says its exit code first', async () => {
    const { workspace, run } = await scene(options);
    const result = await run('pwd; echo problem >&2; echo content > made.txt');
    expect(result).toEqual({
      ok: true,
      text: `exit code 0\n${workspace}\nproblem\n`,
      exit_code: 0,
      changes: [{ path: 'made.txt', after: expect.objectContaining({ size: 8 }) }],
    });
    expect(await readFile(join(workspace, 'made.txt'), 'utf8')).toBe('content\n');
  });

  it('may fail, and that is a result', async () => {
    const { run } = await scene(options);
    expect(await run('echo no; exit 3')).toMatchObject({
      ok: true,
      text: 'exit code 3\nno\n',
      exit_code: 3,
    });
    expect(await run('kill -TERM $$')).toMatchObject({ ok: true, exit_code: 143 });
    expect(await run('true')).toMatchObject({ text: 'exit code 0\n[no output]' });
  });

  it('sees a clean environment with its call key', async () => {
    const { run } = await scene(options);
    const { text } = await run(
      'env | cut -d= -f1 | sort | tr "\\n" " "; echo; echo $LOOM_CALL_KEY $HOME',
    );
    const [, names = '', values] = text.split('\n');
    // The mark by which what detaches itself is found where there is no sandbox.
    const notGiven = ['PWD', 'OLDPWD', 'SHLVL', '_', 'LOOM_RUN'];
    const given = names
      .trim()
      .split(' ')
      .filter((name) => !notGiven.includes(name));
    expect(given).toEqual(['HOME', 'LANG', 'LOOM_CALL_KEY', 'PATH']);
    expect(values).toBe('call-1 /tmp');
  });

  it('is bounded in what it prints', async () => {
    const { run } = await scene(options);
    const { text } = await run(
      'echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last',
    );
    expect(text.length).toBeLessThan(300_000);
    expect(text).toMatch(/^exit code 0\nfirst\nx+\n\[… \d+ bytes of output cut …\]\nx+\nlast\n$/);
  });

  it('is killed with its whole tree when its time is up', async () => {
    const { call } = await scene(options);
    const mark = `3${Math.random().toString().slice(2, 8)}.5`;
    const started = performance.now();
    const result = await call({
      command: `echo begun > made.txt; cat made.txt; sleep ${mark} & (sleep ${mark} & sleep ${mark}) & (setsid sleep ${mark} &) & wait; sleep ${mark}`,
      timeout_seconds: 1.5,
    });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(result).toMatchObject({ ok: false, error_code: 'timeout' });
    expect(result.changes).toMatchObject([{ path: 'made.txt', after: { size: 6 } }]);
    expect(result.text).toContain('within 1.5 s');
    expect(result.text).toContain('begun');
    await expect.poll(() => processesWith(`sleep\0${mark}`), patiently).toEqual([]);
  });

  it('is killed with its whole tree when the caller goes', async () => {
    const controller = new AbortController();
    const { workspace, run, context } = await scene(options, controller.signal);
    const mark = `4${Math.random().toString().slice(2, 8)}.5`;
    const running = run(
      `sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 &); touch started; wait`,
    );
    await expect.poll(() => existsSync(join(workspace, 'started')), patiently).toBe(true);
    expect(await processesWith(`sleep\0${mark}`)).not.toEqual([]);
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error_code: 'cancelled' });
    expect(context.kept).toEqual([{ path: 'started', before: null }]);
    await expect.poll(() => processesWith(`sleep\0${mark}`), patiently).toEqual([]);
  });

  it('leaves nothing running in the background, not even what detaches itself', async () => {
    const { run } = await scene(options);
    const mark = `5${Math.random().toString().slice(2, 8)}.5`;
    const started = performance.now();
    const detach = `setsid sh -c 'touch up; exec sleep ${mark}' >/dev/null 2>&1 & until [ -e up ]; do sleep 0.02; done`;
    expect(await run(`sleep ${mark} & ${detach}; rm up; echo done`)).toMatchObject({
      text: 'exit code 0\ndone\n',
    });
    expect(performance.now() - started).toBeLessThan(15_000);
    await expect.poll(() => processesWith(`sleep\0${mark}`), patiently).toEqual([]);
  });

  it('shows what it prints while it runs, in whole characters', async () => {
    const { workspace, run, context } = await scene(options);
    const running = run(
      `printf 'h\\303'; until [ -e go ]; do sleep 0.02; done; printf '\\244ß'; rm go`,
    );
    await expect.poll(() => context.printed, patiently).toEqual(['h']);
    await writeFile(join(workspace, 'go'), '');
    expect(await running).toMatchObject({ text: 'exit code 0\nhäß' });
    expect(context.printed.join('')).toBe('häß');
  });

  it('cannot be given NUL or an empty command', async () => {
    const { run } = await scene(options);
    expect(await run('')).toMatchObject({ error_code: 'invalid_arguments' });
    expect(await run('echo \u0000')).toMatchObject({ error_code: 'invalid_arguments' });
  });

  it('needs a workspace that is a real directory', async () => {
    const { workspace } = await scene(options);
    await writeFile(join(workspace, 'file'), '');
    const inWorkspace = (path: string) =>
      runInSandbox({
        command: 'true',
        workspace: path,
        timeout_ms: 1_000,
        signal: new AbortController().signal,
        call_key: 'call-1',
        options,
        network: false,
      });
    await expect(inWorkspace(join(workspace, 'none'))).rejects.toThrow(/does not exist/);
    await expect(inWorkspace(join(workspace, 'file'))).rejects.toThrow(/not a directory/);
    await expect(inWorkspace('/')).rejects.toThrow(/root directory/);
  });
});

describe.skipIf(!probed.works)('the sandbox (needs bubblewrap)', () => {
  it('shows nothing of the machine but the system and the workspace', async () => {
    const { workspace, run } = await scene(sandboxed);
    const outside = await temporaryDirectory();
    await writeFile(join(outside, 'secret'), 'canary');
    const { text } = await run(
      `cat ${outside}/secret /etc/shadow /root/.bashrc; ls /home /var /etc/ssl/private; ls /tmp`,
    );
    expect(text).not.toContain('canary');
    expect(text.match(/No such file or directory/g)).toHaveLength(6);
    expect(text.trim().split('\n').at(-1)).toBe(workspace.split('/').at(-1));
  });

  it('lets nothing be written but the workspace and its own /tmp', async () => {
    const { run } = await scene(sandboxed);
    const places = ['/x', '/usr/x', '/etc/x', '/dev/x', '/proc/sys/vm/swappiness'];
    const commands = places.map((place) => `(echo 60 > ${place}) 2>/dev/null || echo refused`);
    const { text } = await run(`${commands.join('; ')}; echo a > /tmp/a && cat /tmp/a`);
    expect(text).toBe(`exit code 0\n${'refused\n'.repeat(places.length)}a\n`);
    expect(existsSync('/tmp/a')).toBe(false);
  });

  it('sees no process but its own and has no privileges', async () => {
    const { run } = await scene(sandboxed);
    const { text } = await run(
      `ls -d /proc/[0-9]* | wc -l; grep -c ${process.pid} /proc/1/status; grep CapBnd /proc/self/status; unshare -U true || echo refused`,
    );
    const [, count, ...rest] = text.split('\n');
    expect(Number(count)).toBeLessThan(8);
    expect(rest.join('\n')).toContain('CapBnd:\t0000000000000000');
    expect(rest.join('\n')).toContain('refused');
  });

  it('has no network unless it is granted', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    const connect = `(echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached || echo refused`;
    const alone = await scene(sandboxed);
    expect((await alone.run(connect)).text).toBe('exit code 0\nrefused\n');
    expect(connections).toBe(0);
    const granted = await scene({ ...sandboxed, network: true });
    expect((await granted.run(connect)).text).toBe('exit code 0\nreached\n');
    await expect.poll(() => connections, patiently).toBe(1);
  });

  it('dies with the process that started it', async () => {
    const workspace = await temporaryDirectory();
    const mark = `7${Math.random().toString().slice(2, 8)}.5`;
    const args = bubblewrapArguments({
      workspace,
      hidden: [],
      network: false,
      env: { PATH: '/usr/bin:/bin' },
    });
    const script = join(workspace, 'parent.mjs');
    await writeFile(
      script,
      `import { spawn } from 'node:child_process';
       const args = ${JSON.stringify([...args, 'sh', '-c', `touch started; sleep ${mark}`])};
       spawn('bwrap', args, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });`,
    );
    const parent = fork(script, { stdio: 'ignore' });
    await expect.poll(() => existsSync(join(workspace, 'started')), patiently).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(() => processesWith(`sleep\0${mark}`), patiently).toEqual([]);
  });

  it('limits memory and file size', async () => {
    const { run } = await scene(sandboxed);
    const { text } = await run(
      'ulimit -d; ulimit -c; [ "$(ulimit -f)" != unlimited ] && echo file',
    );
    expect(text).toBe('exit code 0\n4194304\n0\nfile\n');
    const sizes = await run('df --output=size --block-size=1M /tmp /dev/shm | tail -n 2');
    expect(sizes.text).toMatch(/^exit code 0\n\s*512\n\s*64\n$/);
  });

  it('can run Node', async () => {
    const { run } = await scene(sandboxed);
    expect((await run('node -p "6 * 7"')).text).toBe('exit code 0\n42\n');
  });
});

describe('without a sandbox and without permission', () => {
  it('is unavailable with the reason', async () => {
    const { run } = await scene({ ...plain, allow_unsandboxed: false });
    const result = await run('true');
    expect(result).toMatchObject({ ok: false, error_code: 'failed' });
    expect(result.text).toContain('bubblewrap (bwrap) is not installed');
  });
});
