import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (response: http.ServerResponse) => void;

interface Received {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** Resolves when the client or the server ends the connection of this request. */
  closed: Promise<void>;
}

/** A server that gives the queued answers in order, the last one for ever, and keeps what it got. */
export async function startWireServer() {
  const received: Received[] = [];
  let answers: Answer[] = [];
  const server = http.createServer(async (request, response) => {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    received.push({ path: request.url ?? '', headers: request.headers, body, closed });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(...next: Answer[]) {
      answers = next;
      received.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with JSON, or with text as it is. */
export function json(body: unknown, status = 200, headers: http.OutgoingHttpHeaders = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Answers with events; a string goes as it is. */
export function events(items: unknown[], end: (response: http.ServerResponse) => void = finish) {
  return (response: http.ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const item of items) response.write(toEvent(item));
    end(response);
  };
}

function toEvent(item: unknown): string {
  if (typeof item === 'string') return `data: ${item}\n\n`;
  const { type } = item as { type?: string };
  const name = type === undefined ? '' : `event: ${type}\n`;
  return `${name}data: ${JSON.stringify(item)}\n\n`;
}

function finish(response: http.ServerResponse): void {
  response.end();
}

/** Cuts the connection once what was written has left. */
export function cut(response: http.ServerResponse): void {
  response.write(': cut\n\n', () => response.socket?.destroy());
}
