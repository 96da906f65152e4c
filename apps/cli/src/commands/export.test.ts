import { EventEmitter } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aSession } from '../testing/builders.ts';
import { runCaptured } from '../testing/run-captured.ts';
import {
  json,
  problem,
  type ScriptedGateway,
  startScriptedGateway,
} from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

type Routes = Parameters<typeof startScriptedGateway>[0];
type Answer = Routes[string];

async function run(routes: Routes, args: string[], more: Parameters<typeof runCaptured>[1] = {}) {
  gateway = await startScriptedGateway(routes);
  return runCaptured([...args, '--url', gateway.base_url], more);
}

const route = 'GET /api/sessions/ses_1/export';
const text = '{"session":{}}\n{"content":"\u001b[2J 😀\r\n\u0085"}\n';
const whole: Answer = (_, response) => {
  response.write(Buffer.from(text).subarray(0, 28));
  response.end(Buffer.from(text).subarray(28));
};

describe('loom export', () => {
  it('writes what comes, byte for byte', async () => {
    const said = await run({ [route]: whole }, ['export', 'ses_1']);
    expect(said).toEqual({ code: 0, stdout: text, stderr: '' });
    expect(gateway?.heard[0]?.path).toBe('/api/sessions/ses_1/export?format=jsonl');
  });

  it('asks for a transcript to read', async () => {
    await run({ [route]: whole }, ['export', 'ses_1', '--format', 'markdown']);
    expect(gateway?.heard[0]?.path).toBe('/api/sessions/ses_1/export?format=markdown');
  });

  it('gives lines of JSON with --json, and nothing else', async () => {
    expect((await run({ [route]: whole }, ['export', 'ses_1', '--json'])).stdout).toBe(text);
    const args = ['export', 'ses_1', '--json', '--format', 'markdown'];
    expect(await run({ [route]: whole }, args)).toMatchObject({ code: 2, stdout: '' });
    expect(gateway?.heard).toEqual([]);
  });

  it.each([
    ['another form', ['export', 'ses_1', '--format', 'pdf'], 2, /jsonl, markdown/],
    ['no session', ['export'], 2, /session/],
    ['a session that is not there', ['export', 'ses_2'], 1, /no such thing/],
  ])('refuses %s', async (_, args, code, reason) => {
    const said = await run({ [route]: whole }, args);
    expect(said).toMatchObject({ code, stdout: '' });
    expect(said.stderr).toMatch(reason);
  });

  it('says so in the words of the gateway when it refuses', async () => {
    const refuse = problem(503, 'unavailable', 'Try again.');
    const said = await run({ [route]: refuse }, ['export', 'ses_1']);
    expect(said).toEqual({ code: 1, stdout: '', stderr: 'Try again.\n' });
  });

  it('does not take a part for the whole', async () => {
    const cut: Answer = (_, response) => {
      response.write(text, () => response.destroy());
    };
    const { code, stderr } = await run({ [route]: cut }, ['export', 'ses_1']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The gateway broke off: what came is not all. Try again.\n',
    });
  });

  it('can be left while it waits', async () => {
    const signals = new EventEmitter();
    const hanging: Answer = (_, response) => {
      response.write(text, () => setImmediate(() => signals.emit('SIGINT')));
    };
    const { code } = await run({ [route]: hanging }, ['export', 'ses_1'], { signals });
    expect(code).toBe(130);
  });
});

describe('loom sessions', () => {
  it('lists those of a directory as it looks from here', async () => {
    const page = { items: [aSession()], next_cursor: null };
    const args = ['sessions', '--workspace', 'some/where'];
    const { stdout } = await run({ 'GET /api/sessions': json(page) }, args);
    expect(stdout.split('\n')[0]).toMatch(/^ID +STATUS +MESSAGES +LAST ACTIVITY +TITLE$/);
    const { searchParams } = new URL(gateway?.heard[0]?.path ?? '', 'http://x');
    expect(searchParams.get('workspace')).toBe(resolve('some/where'));
  });
});
