import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { GatewayApp } from './route.ts';

export interface Listening {
  port: number;
  /** Ends streams at once, lets answers under way be finished for a moment, then cuts the rest. */
  close(): Promise<void>;
}

const graceMs = 2_000;
/** Longer than the minute that proxies and clients keep a connection: whoever reuses one finds it open. */
const keepAliveMs = 75_000;
const sweepMs = 20;

/** Serves an app; port 0 picks a free one. Rejects when the address cannot be had. */
export async function listen(
  app: GatewayApp,
  address: { host: string; port: number },
  onClose: () => void,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.keepAliveTimeout = keepAliveMs;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  let closing: Promise<void> | null = null;
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      closing ??= new Promise<void>((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        // A connection whose answer has just ended would otherwise be kept for the next request.
        const sweep = setInterval(() => {
          server.closeIdleConnections();
          // Browsers connect ahead of need; to Node such a connection is busy with a request to come.
          for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
        }, sweepMs);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
        onClose();
      });
      return closing;
    },
  };
}
