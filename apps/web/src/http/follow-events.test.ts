import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { followEvents } from './follow-events.ts';
import type { StreamEvent } from './stream-event.ts';

let close = () => {};
afterEach(() => close());

/** Answers the n-th connection with the n-th script; the last one serves for all that follow. */
async function serve(scripts: ((response: ServerResponse) => void)[]) {
  const cursors: string[] = [];
  const server = createServer((request, response) => {
    const script = scripts[Math.min(cursors.length, scripts.length - 1)];
    cursors.push(new URL(request.url ?? '', 'http://host').searchParams.get('after') ?? '');
    script?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  return { cursors, url };
}

function send(response: ServerResponse, id: number, type: string) {
  response.write(`id: ${id}\nevent: ${type}\ndata: {"type":"${type}","data":{}}\n\n`);
}

async function follow(url: string, until: string, silence_ms = 60_000) {
  const controller = new AbortController();
  const events: StreamEvent[] = [];
  const links: boolean[] = [];
  await followEvents({
    url,
    after: '7',
    signal: controller.signal,
    tunables: { first_pause_ms: 1, longest_pause_ms: 5, silence_ms },
    on_link: (connected) => links.push(connected),
    on_event: (event) => {
      events.push(event);
      if (event.type === until) controller.abort();
    },
  });
  return { types: events.map(({ type }) => type), links };
}

describe('followEvents', () => {
  it('resumes after the last cursor when the server hangs up', async () => {
    const { url, cursors } = await serve([
      (response) => {
        send(response, 8, 'turn.started');
        send(response, 9, 'message.appended');
        response.end('event: turn.completed\ndata: {"half');
      },
      (response) => send(response, 10, 'turn.completed'),
    ]);
    const { types } = await follow(url, 'turn.completed');
    expect(types).toEqual(['turn.started', 'message.appended', 'turn.completed']);
    expect(cursors).toEqual(['7', '9']);
  });

  it('tries again while the gateway is away, and says so', async () => {
    const { url, cursors } = await serve([
      (response) => response.writeHead(503).end(),
      (response) => response.destroy(),
      (response) => send(response, 8, 'turn.completed'),
    ]);
    const { links } = await follow(url, 'turn.completed');
    expect(links).toEqual([false, false, true]);
    expect(cursors).toEqual(['7', '7', '7']);
  });

  it('leaves a connection that went silent', async () => {
    const { url, cursors } = await serve([
      (response) => send(response, 8, 'turn.started'),
      (response) => send(response, 9, 'turn.completed'),
    ]);
    const { types } = await follow(url, 'turn.completed', 100);
    expect(types.at(-1)).toBe('turn.completed');
    expect(cursors.length).toBeGreaterThan(1);
  });

  it('ends with an error when it is not let in', async () => {
    const { url } = await serve([(response) => response.writeHead(401).end()]);
    await expect(follow(url, 'never')).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
