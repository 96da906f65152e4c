import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { aSession } from '../testing/builders.ts';
import { runCaptured } from '../testing/run-captured.ts';
import {
  json,
  openStream,
  type ScriptedGateway,
  sendEvent,
  startScriptedGateway,
} from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

type Script = (send: (id: number | null, event: { type: string; data?: unknown }) => void) => void;

/** Every turn's events are written before the turn's own answer: nothing may depend on the order. */
async function startSession(
  script: Script,
  onCancel: (send: (event: { type: string }) => void) => void = () => {},
): Promise<ScriptedGateway> {
  let stream: ServerResponse | null = null;
  let turns = 0;
  gateway = await startScriptedGateway({
    'POST /api/sessions': json(aSession(), 201),
    'GET /api/sessions/ses_1': json(aSession()),
    'GET /api/sessions/ses_1/events': (_, response) => {
      openStream(response);
      stream = response;
    },
    'POST /api/sessions/ses_1/turns': (request, response) => {
      turns += 1;
      const turn_id = `turn_${turns}`;
      script((id, event) => {
        if (stream !== null) sendEvent(stream, id, { turn_id, data: {}, ...event });
      });
      const accepted = { turn_id, session_id: 'ses_1', message_number: turns };
      return json(accepted, 202)(request, response);
    },
    'POST /api/sessions/ses_1/turns/turn_1/cancel': (request, response) => {
      onCancel((event) => {
        if (stream !== null) sendEvent(stream, 99, { turn_id: 'turn_1', data: {}, ...event });
      });
      return json({}, 202)(request, response);
    },
    'GET /api/sessions/ses_1/turns/turn_1': json({
      id: 'turn_1',
      session_id: 'ses_1',
      status: 'failed',
      error: { code: 'model_unavailable', message: 'no model answered' },
      messages: [],
      created_at: '',
      started_at: null,
      ended_at: null,
    }),
  });
  return gateway;
}

function message(role: string, content: string, more: Record<string, unknown> = {}) {
  return { type: 'message.appended', data: { number: 1, role, content, ...more } };
}

describe('loom chat <message>', () => {
  it('writes the answer on stdout once, and what happens on stderr', async () => {
    const { base_url, heard } = await startSession((send) => {
      send(null, { type: 'message.delta', data: { call: 1, offset: 0, text: 'I will ' } });
      const call = { id: 'c1', name: 'delegate_task', arguments: { goal: 'rain' } };
      send(1, message('assistant', 'I will delegate.', { tool_calls: [call] }));
      send(2, { type: 'subtask.started', ...{ subtask_id: 'haiku', task_id: 'task_1' } });
      send(3, message('tool', '[x] haiku', { tool_name: 'delegate_task' }));
      send(null, { type: 'message.delta', data: { call: 2, offset: 0, text: 'Here it is.' } });
      send(4, message('assistant', 'Here it is.'));
      send(5, { type: 'turn.completed' });
    });
    const { code, stdout, stderr } = await runCaptured(['chat', 'rain', '--url', base_url]);
    expect(code).toBe(0);
    expect(stdout).toBe('I will delegate.\nHere it is.\n');
    expect(stderr.split('\n')).toEqual([
      'session ses_1',
      '→ delegate_task {"goal":"rain"}',
      '  ▸ haiku started',
      '← delegate_task: [x] haiku',
      '',
    ]);
    expect(heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/sessions',
      'GET /api/sessions/ses_1/events',
      'POST /api/sessions/ses_1/turns',
    ]);
    expect(heard[1]?.headers['last-event-id']).toBe('0');
  });

  it('joins an old session at its end', async () => {
    const { base_url, heard } = await startSession((send) => send(9, { type: 'turn.completed' }));
    const args = ['chat', 'go on', '--session', 'ses_1', '--url', base_url];
    expect((await runCaptured(args)).code).toBe(0);
    expect(heard[0]?.method).toBe('GET');
    expect(heard[1]?.headers['last-event-id']).toBeUndefined();
  });

  it('tells why a turn failed, with 1', async () => {
    const { base_url } = await startSession((send) => send(1, { type: 'turn.failed' }));
    const { code, stderr } = await runCaptured(['chat', 'x', '--url', base_url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The turn failed: no model answered\n$/);
  });

  it('shows a question and its options, and leaves', async () => {
    const question = { question: 'Which sea?', options: ['North', 'Baltic'] };
    const call = { id: 'c1', name: 'ask_user', arguments: question };
    const { base_url } = await startSession((send) => {
      send(1, message('assistant', '', { tool_calls: [call] }));
      send(2, { type: 'turn.awaiting_user' });
    });
    const { code, stdout } = await runCaptured(['chat', 'x', '--url', base_url]);
    expect(code).toBe(0);
    expect(stdout).toBe('Which sea?\n  1) North\n  2) Baltic\n');
  });
});

describe('Ctrl-C', () => {
  it('stops the turn first, and ends with 130 once it has stopped', async () => {
    const signals = new EventEmitter();
    const { base_url } = await startSession(
      () => signals.emit('SIGINT'),
      (send) => send({ type: 'turn.cancelled' }),
    );
    const args = ['chat', 'x', '--url', base_url];
    const { code, stderr } = await runCaptured(args, { signals });
    expect(stderr).toMatch(/stopping the turn; Ctrl-C again leaves\nturn cancelled\n$/);
    expect(code).toBe(130);
    expect(signals.eventNames()).toEqual([]);
  });

  it('leaves the second time', async () => {
    const signals = new EventEmitter();
    const { base_url, heard } = await startSession(
      () => signals.emit('SIGINT'),
      () => signals.emit('SIGINT'),
    );
    const { code, stderr } = await runCaptured(['chat', 'x', '--url', base_url], { signals });
    expect(stderr).toMatch(/Interrupted\.\n$/);
    expect(code).toBe(130);
    expect(heard.at(-1)?.path).toMatch(/turn_1\/cancel$/);
  });
});

describe('loom chat', () => {
  it('takes each line of stdin as a turn', async () => {
    let turn = 0;
    const { base_url, heard } = await startSession((send) => {
      turn += 1;
      send(turn * 2, message('assistant', `answer ${turn}`));
      send(turn * 2 + 1, { type: 'turn.completed' });
    });
    const { code, stdout } = await runCaptured(['chat', '--url', base_url], {
      stdin: 'one\n\ntwo\n/exit\nthree\n',
    });
    expect(code).toBe(0);
    expect(stdout).toBe('answer 1\nanswer 2\n');
    const said = heard.filter(({ path }) => path.endsWith('/turns')).map(({ body }) => body);
    expect(said).toEqual([{ content: 'one' }, { content: 'two' }]);
  });

  it('goes on after a failed turn, and ends with 1', async () => {
    let turn = 0;
    const { base_url } = await startSession((send) => {
      turn += 1;
      send(turn, { type: turn === 1 ? 'turn.failed' : 'turn.completed' });
    });
    const { code, stderr } = await runCaptured(['chat', '--url', base_url], { stdin: 'a\nb\n' });
    expect(turn).toBe(2);
    expect(stderr).toMatch(/no model answered/);
    expect(code).toBe(1);
  });
});
