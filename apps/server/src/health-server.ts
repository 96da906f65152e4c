import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Foundation } from './open-foundation.ts';

/** Answers /healthz and /readyz for a worker, whose work needs no port of its own. */
export async function startHealthServer(
  foundation: Foundation,
  port: number,
): Promise<{ port: number; close(): Promise<void> }> {
  const { db, backend, settings } = foundation;
  const server = createServer((request, response) => {
    const answer = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    if (request.url === '/healthz') return answer(200, '{"status":"ok"}');
    if (request.url !== '/readyz') return answer(404, '{"status":"not found"}');
    Promise.all([db.pool.query('SELECT 1'), backend.ping()]).then(
      () => answer(200, '{"status":"ok"}'),
      () => answer(503, '{"status":"unavailable"}'),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, settings.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
