import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onFileEnd } from './file-end.ts';

/** A proxy before a gateway that lets requests pass only together, so that a race is really one. */
export interface RequestGate {
  url: string;
  /** Holds requests to paths that match, until so many have come; then all pass at once. */
  gather(path: RegExp, count: number): void;
  close(): Promise<void>;
}

/** Starts a gate before an HTTP server; it closes by itself at the end of the test file. */
export async function startRequestGate(target: string): Promise<RequestGate> {
  let wanted: { path: RegExp; count: number } | null = null;
  let held: (() => void)[] = [];

  const server = createServer((incoming, response) => {
    const pass = () => forward(target, incoming, response);
    if (wanted === null || !wanted.path.test(incoming.url ?? '')) return pass();
    held.push(pass);
    if (held.length < wanted.count) return;
    const together = held;
    held = [];
    wanted = null;
    for (const one of together) one();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  onFileEnd(close);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    gather(path, count) {
      wanted = { path, count };
    },
    close,
  };
}

function forward(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = incoming;
  const outgoing = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}
