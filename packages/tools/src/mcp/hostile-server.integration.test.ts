import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contextIn, temporaryDirectory } from '../test-workspace.ts';
import { hostile, hostileProgram } from './test-support/hostile-server.ts';
import { openMcpWorld } from './test-support/mcp-world.ts';

/** Of all processes on this machine. */
function commandLines(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return [];
    }
  });
}

describe('what a server does', () => {
  const servers = { evil: hostile('plain') };

  test('a crash in a call is told, and the next call starts the server again', async () => {
    const world = await openMcpWorld({ servers });
    const crashed = await world.run('evil__crash', {});
    expect(crashed).toMatchObject({ ok: false, error_code: 'failed' });
    expect(crashed.text).toContain('may have had an effect');
    expect(await world.run('evil__echo', { text: 'x' })).toEqual({ ok: true, text: 'echo: x' });
  });

  test('a result of 100 MB ends the connection, one of 2 MB is cut', async () => {
    const world = await openMcpWorld({ servers });
    expect(await world.run('evil__huge', {})).toMatchObject({ ok: false, error_code: 'failed' });
    const long = await (await world.tool('evil__long')).run({}, contextIn(null));
    expect(long.text.length).toBeLessThan(1_000_100);
    expect(long.text).toContain('1000000 characters cut');
  });

  test('of many images some are kept', async () => {
    const world = await openMcpWorld({ servers });
    const context = contextIn(null);
    const { text } = await world.run('evil__images', {}, context);
    expect(context.artifacts.size).toBe(20);
    expect(text).toContain('10 more parts were left out');
  });

  test('its failures, structured answers and wrong ids', async () => {
    const world = await openMcpWorld({
      servers: { evil: { ...servers.evil, call_timeout_seconds: 2 } },
    });
    const failed = { ok: false, error_code: 'failed', text: 'it went wrong' };
    expect(await world.run('evil__fail', {})).toEqual(failed);
    expect((await world.run('evil__structured', {})).text).toBe('{\n  "answer": 42\n}');
    expect(await world.run('evil__wrong-id', {})).toMatchObject({ error_code: 'timeout' });
  });

  test('a storm of announcements does not matter, a flood ends the connection', async () => {
    const world = await openMcpWorld({ servers });
    expect((await world.run('evil__storm', {})).text).toBe('the storm is over');
    expect(await world.run('evil__flood', {})).toMatchObject({ ok: false, error_code: 'failed' });
    expect((await world.run('evil__echo', { text: 'x' })).ok).toBe(true);
  });

  test('endless noise is read and dropped', async () => {
    const world = await openMcpWorld({ servers });
    expect((await world.run('evil__noise', {})).text).toBe('noise made');
    const printed = world.logged.filter((line) => line.includes('MCP server printed'));
    expect(printed).toHaveLength(100);
    expect(world.logged.join('')).toContain('prints too much');
  });

  test('it gets no sampling, no elicitation, and as roots its own directories', async () => {
    const directory = await temporaryDirectory();
    const world = await openMcpWorld({
      servers: { evil: { ...servers.evil, directories: [directory] } },
    });
    const answers = JSON.parse((await world.run('evil__ask', {})).text);
    const byId = Object.fromEntries(answers.map((one: { id: string }) => [one.id, one]));
    expect(byId['sampling/createMessage'].error.code).toBe(-32_601);
    expect(byId['elicitation/create'].error.code).toBe(-32_601);
    expect(byId['roots/list'].result.roots).toEqual([{ uri: `file://${directory}` }]);
  });

  test('after failures in a row it is left alone, with the reason', async () => {
    const world = await openMcpWorld({
      servers: {
        evil: {
          ...servers.evil,
          call_timeout_seconds: 1,
          breaker_failures: 2,
          breaker_seconds: 600,
        },
      },
    });
    const fails = async () => (await world.run('evil__fail', {})).ok;
    for (let count = 0; count < 5; count++) expect(await fails()).toBe(false);
    expect((await world.tool('evil__echo')).unavailable()).toBeNull();
    for (let count = 0; count < 2; count++) await world.run('evil__hang', {});
    expect((await world.tool('evil__echo')).unavailable()).toContain('failed 2 times in a row');
    const refused = await world.run('evil__echo', { text: 'x' });
    expect(refused.text).toContain('tried again in');
  });

  test('a call that is cancelled returns at once and tells the server', async () => {
    const directory = await temporaryDirectory();
    const server = { ...hostile('plain', directory), directories: [directory] };
    const world = await openMcpWorld({ servers: { evil: server } });
    const tool = await world.tool('evil__hang');
    const stop = new AbortController();
    const running = tool.run({}, contextIn(null, { signal: stop.signal }));
    await expect.poll(() => existsSync(join(directory, 'hanging')), { timeout: 20_000 }).toBe(true);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    await expect
      .poll(() => existsSync(join(directory, 'cancelled')), { timeout: 20_000 })
      .toBe(true);
  });
});

describe('where a server runs', () => {
  test('it sees no file and no variable that it was not given', async () => {
    const [given, other] = [await temporaryDirectory(), await temporaryDirectory()];
    await writeFile(join(given, 'mine'), 'given');
    await writeFile(join(other, 'secret'), 'not given');
    const world = await openMcpWorld({
      servers: {
        evil: {
          ...hostile('plain'),
          read_directories: [given],
          env: { TOKEN: 'VALUE' },
        },
      },
      secrets: { VALUE: 'a-long-secret' },
    });
    const look = async (path: string) => JSON.parse((await world.run('evil__look', { path })).text);
    expect((await look(join(given, 'mine'))).file).toBe('given');
    for (const path of [join(other, 'secret'), '/etc/shadow', '/root/.ssh', '/proc/1/root/root']) {
      expect((await look(path)).file).toMatch(/^refused/);
    }
    const { environment, init } = await look('/');
    expect(environment).toEqual(['HOME', 'LANG', 'PATH', 'PWD', 'TOKEN']);
    expect(init).toBe('false');
  });

  test('what is hidden stays hidden in a directory that it was given', async () => {
    const given = await temporaryDirectory();
    await mkdir(join(given, 'data'));
    await writeFile(join(given, 'data', 'key'), 'hidden');
    const world = await openMcpWorld({
      servers: { evil: { ...hostile('plain'), directories: [given] } },
      shell: { hidden_paths: [join(given, 'data')] },
    });
    const { text } = await world.run('evil__look', { path: join(given, 'data', 'key') });
    expect(JSON.parse(text).file).toBe('refused: ENOENT');
  });

  test('its secrets are cut out of results and logs, and stand in no command line', async () => {
    const world = await openMcpWorld({
      servers: { evil: { ...hostile('plain'), env: { TOKEN: 'VALUE' } } },
      secrets: { VALUE: 'a-long-secret' },
    });
    expect((await world.run('evil__secret', {})).text).toBe('token [redacted]');
    const started = commandLines().filter((line) => line.includes(hostileProgram));
    expect(started).not.toEqual([]);
    expect(started.join()).not.toContain('a-long-secret');
    await expect.poll(() => world.logged.join('')).toContain('my token is [redacted]');
    expect(world.logged.join('')).not.toContain('a-long-secret');
  });

  test('without a sandbox it is not started, unless the operator allows that', async () => {
    const sandbox = { works: false, reason: 'there is none' };
    const refused = await openMcpWorld({ servers: { evil: hostile('plain') }, shell: { sandbox } });
    expect(await refused.names()).toEqual([]);
    expect(refused.logged.join('')).toContain('programs run only in a sandbox, and there is none');
    const allowed = await openMcpWorld({
      servers: { evil: hostile('plain') },
      shell: { sandbox, allow_unsandboxed: true },
    });
    expect((await allowed.run('evil__echo', { text: 'x' })).text).toBe('echo: x');
  });
});

describe('a server that is away', () => {
  const away = { ...hostile('silent'), connect_timeout_seconds: 0.5, breaker_seconds: 600 };

  test('costs one connect timeout; its known tools are shown with the reason', async () => {
    const well = await openMcpWorld({ servers: { evil: hostile('plain') } });
    await well.names();
    const world = await openMcpWorld({
      servers: { evil: away, good: hostile('plain') },
      pins: well.pins,
    });
    expect(await world.names()).toContain('good__echo');
    const reason = 'the server evil does not work: no answer within 0.5 seconds';
    expect((await world.tool('evil__echo')).unavailable()).toContain(reason);
    const warnings = () => world.logged.filter((line) => line.includes('left alone')).length;
    for (let count = 0; count < 5; count++) await world.names();
    // Longer than another try would take to fail.
    expect((await world.run('good__slow', {})).text).toBe('at last');
    expect(warnings()).toBe(1);
  });

  test('says what the program printed before it ended', async () => {
    const world = await openMcpWorld({ servers: { evil: hostile('dies') } });
    expect(await world.names()).toEqual([]);
    expect(world.logged.join('')).toContain('it printed: there is no licence');
  });

  test('and one whose variable is not set names it', async () => {
    const world = await openMcpWorld({
      servers: { evil: { ...hostile('plain'), env: { A: 'MISSING' } } },
    });
    expect(await world.names()).toEqual([]);
    expect(world.logged.join('')).toContain('the environment variable MISSING is not set');
  });
});

test.each([true, false])(
  'no process is left when the tools are closed (sandbox: %s)',
  async (works) => {
    const directory = await temporaryDirectory();
    const server = { ...hostile('plain', directory), directories: [directory] };
    const shell = works ? {} : { allow_unsandboxed: true, sandbox: { works, reason: null } };
    const world = await openMcpWorld({ servers: { evil: server }, shell });
    expect((await world.run('evil__daemon', {})).text).toBe('it lives');
    expect(commandLines().filter((line) => line.includes(directory)).length).toBeGreaterThan(1);
    await world.source.close();
    await expect
      .poll(() => commandLines().filter((line) => line.includes(directory)), { timeout: 20_000 })
      .toEqual([]);
  },
);
