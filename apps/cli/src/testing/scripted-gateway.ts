import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Heard {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

type Answer = (request: Heard, response: ServerResponse) => void | Promise<void>;

/** A gateway that answers as a test says; routes are `GET /path`, the query is left out. */
export interface ScriptedGateway {
  base_url: string;
  heard: Heard[];
  close(): Promise<void>;
}

export async function startScriptedGateway(
  routes: Record<string, Answer>,
): Promise<ScriptedGateway> {
  const heard: Heard[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url, headers, body: text === '' ? null : JSON.parse(text) };
    heard.push(request);
    const answer = routes[`${method} ${url.split('?', 1)[0]}`];
    if (answer === undefined)
      problem(404, 'not_found', 'There is no such thing.')(request, response);
    else await answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base_url: `http://127.0.0.1:${port}`,
    heard,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(body: unknown, status = 200): Answer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

export function problem(status: number, code: string, detail: string, errors?: unknown[]): Answer {
  const type = 'application/problem+json';
  const body = { type: `urn:loom:${code}`, title: code, status, code, detail, errors };
  return (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(JSON.stringify(body));
  };
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

/** Writes one event; an id of null makes it a live one. */
export function sendEvent(
  response: ServerResponse,
  id: number | null,
  event: { type: string; [key: string]: unknown },
): void {
  const lines = id === null ? [] : [`id: ${id}`];
  const data = JSON.stringify(id === null ? event : { seq: id, ...event });
  response.write(`${[...lines, `event: ${event.type}`, `data: ${data}`].join('\n')}\n\n`);
}
