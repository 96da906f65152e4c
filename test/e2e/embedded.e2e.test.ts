import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@loom/shared/api';
import { type Client, createClient } from '@loom/testing/api-client';
import { testBackend } from '@loom/testing/backend';
import { onFileEnd } from '@loom/testing/file-end';
import { type LoomProcess, processMarker, startService } from '@loom/testing/processes';
import { findOrphans } from '@loom/testing/processes/find-orphans';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { writeToml } from '@loom/testing/write-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Redis has no part in it: once is enough.
describe.skipIf(testBackend().kind === 'redis')('`loom up` with nothing but a directory', () => {
  let directory: string;
  let model: ScriptedModel;
  let loom: LoomProcess;
  let client: Client;
  let sessionId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'loom-embedded-'));
    onFileEnd(() => rm(directory, { recursive: true, force: true }));
    model = await startScriptedModel();
    model.useWorkingBrain({ subtasks: 2 });
    const scripted = { provider: 'openai-compatible', base_url: model.url, model: 'scripted' };
    loom = await startService('up', {
      cwd: directory,
      config: writeToml({
        'models.scripted': scripted,
        execution: { lease_seconds: 2, sweep_interval_seconds: 0.3 },
        approval: { mode: 'disabled' },
      }),
      env: { LOOM_DATA_DIR: join(directory, '.loom') },
      ownGroup: true,
    });
    const key = (await readFile(join(directory, '.loom', 'admin.key'), 'utf8')).trim();
    client = createClient({ url: loom.url, key });
  }, 120_000);
  afterAll(() => loom?.stop());

  const messages = async () => {
    const page = await client.get(`/api/sessions/${sessionId}/messages`);
    return (page as { items: Message[] }).items;
  };
  const say = async (content: string) => {
    const { turn_id } = await client.sendTurn(sessionId, content);
    return client.waitForTurn(sessionId, turn_id);
  };
  const left = () => findOrphans({ marker: processMarker, directory });

  test('serves the page and a conversation', async () => {
    const page = await fetch(loom.url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Loom</title>');
    sessionId = (await client.createSession()).id;
    const turn = await say('delegate: two files');
    expect(turn.messages.at(-1)?.content).toContain('Verification: verified');
  });

  test('Ctrl-C ends everything at once, without a complaint', async () => {
    expect(await left()).not.toEqual([]);
    const begin = Date.now();
    process.kill(-loom.pid, 'SIGINT');
    expect(await loom.exited).toEqual({ code: 0, signal: null });
    expect(Date.now() - begin).toBeLessThan(10_000);
    await expect.poll(left).toEqual([]);
    expect(complaints(loom.output())).toEqual([]);
  });

  test('the next start has the conversation, and goes on with it', async () => {
    const expected = ['user', 'assistant', 'tool', 'assistant'];
    await loom.restart();
    expect((await messages()).map(({ role }) => role)).toEqual(expected);
    await say('And now?');
    expect((await messages()).at(-1)).toMatchObject({ number: 6, content: 'You said: And now?' });
  });

  test('kill -9 in the middle of turns and subtasks loses nothing', async () => {
    const gate = model.hold(
      (request) => request.role === 'executor' || isHeld(request.lastUserText),
    );
    const delegating = await client.sendTurn(sessionId, 'delegate: two more');
    const other = await client.createSession();
    const chatting = await client.sendTurn(other.id, 'hold this');
    await gate.arrivals(3);
    loom.kill('SIGKILL');
    await loom.exited;
    gate.release();
    await loom.restart();

    const [delegated, chatted] = await Promise.all([
      client.waitForTurn(sessionId, delegating.turn_id),
      client.waitForTurn(other.id, chatting.turn_id),
    ]);
    expect(delegated.status).toBe('completed');
    expect(delegated.messages.at(-1)?.content).toContain('Verification: verified');
    expect(chatted.messages.at(-1)?.content).toBe('You said: hold this');
    const tasks = await client.get(`/api/tasks?session_id=${sessionId}`);
    const [task] = (tasks as { items: { id: string }[] }).items;
    const taskEvents = await client.getEvents(task?.id ?? '');
    expect(taskEvents.map(({ type }) => type)).toContain('run.recovered');
    const path = `/api/sessions/${other.id}/events?after=0`;
    const log = await client.request('GET', path, undefined, { accept: 'application/json' });
    const chatEvents = (log.body as { items: { type: string }[] }).items;
    expect(chatEvents.map(({ type }) => type)).toContain('turn.recovered');

    await say('Still there?');
    expect((await messages()).at(-1)?.content).toBe('You said: Still there?');
    expect(await loom.stop()).toEqual({ code: 0, signal: null });
  });
});

function isHeld(text: string): boolean {
  return text === 'hold this';
}

/** What the log has at the level of a warning or above. */
function complaints(output: string): string[] {
  return output.split('\n').filter((line) => /"level":[456]0/.test(line));
}
