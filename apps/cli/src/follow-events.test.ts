import { afterEach, describe, expect, it } from 'vitest';
import { createApiClient } from './api-client.ts';
import { CommandFailure } from './command-failure.ts';
import { followEvents } from './follow-events.ts';
import {
  openStream,
  problem,
  type ScriptedGateway,
  sendEvent,
  startScriptedGateway,
} from './testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

async function collect(routes: Parameters<typeof startScriptedGateway>[0], last: string) {
  gateway = await startScriptedGateway(routes);
  const client = createApiClient({ base_url: gateway.base_url, key: null });
  const stop = new AbortController();
  const types: string[] = [];
  for await (const { event } of followEvents(client, '/s', { after: null, signal: stop.signal })) {
    types.push(event.type);
    if (event.type === last) break;
  }
  return { types, cursors: gateway.heard.map(({ headers }) => headers['last-event-id']) };
}

describe('followEvents', () => {
  it('resumes after the last event it saw, through a cut and an overloaded gateway', async () => {
    let connection = 0;
    const { types, cursors } = await collect(
      {
        'GET /s': (request, response) => {
          connection += 1;
          if (connection === 2) return problem(503, 'overloaded', 'Later.')(request, response);
          openStream(response);
          if (connection === 1) {
            sendEvent(response, 1, { type: 'one' });
            sendEvent(response, 2, { type: 'two' });
            response.write('id: 3\nevent: thr', () => response.destroy());
          } else {
            sendEvent(response, 3, { type: 'three' });
          }
        },
      },
      'three',
    );
    expect(types).toEqual(['one', 'two', 'three']);
    expect(cursors).toEqual([undefined, '2', '2']);
  });

  it('says that something may be missing when it was cut before it had a cursor', async () => {
    let connection = 0;
    const { types } = await collect(
      {
        'GET /s': (_, response) => {
          connection += 1;
          openStream(response);
          if (connection === 1) response.write(': hello\n\n', () => response.destroy());
          else sendEvent(response, 1, { type: 'one' });
        },
      },
      'one',
    );
    expect(types).toEqual(['stream.reset', 'one']);
  });

  it('keeps a cursor through live events, which have none', async () => {
    let connection = 0;
    const { cursors } = await collect(
      {
        'GET /s': (_, response) => {
          connection += 1;
          openStream(response);
          if (connection === 1) {
            sendEvent(response, 7, { type: 'one' });
            sendEvent(response, null, { type: 'message.delta', data: {} });
            response.end();
          } else sendEvent(response, 8, { type: 'two' });
        },
      },
      'two',
    );
    expect(cursors).toEqual([undefined, '7']);
  });

  it('gives up at once on a refusal', async () => {
    const following = collect({ 'GET /s': problem(404, 'not_found', 'No such task.') }, 'x');
    await expect(following).rejects.toThrow(CommandFailure);
    await expect(following).rejects.toThrow('No such task.');
  });
});
