import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkerMetrics } from '@loom/runtime/worker-metrics';
import type { Foundation } from './open-foundation.ts';

/**
 * Answers /healthz, /readyz and /metrics for a worker, whose work needs no port of its own. Nobody is
 * asked for a key: it listens where the operator says, and tells nothing of anybody's data.
 */
export async function startHealthServer(
  foundation: Pick<Foundation, 'db' | 'backend' | 'settings'>,
  port: number,
  metrics: Pick<WorkerMetrics, 'render' | 'content_type'>,
): Promise<{ port: number; close(): Promise<void> }> {
  const { db, backend, settings } = foundation;
  const server = createServer((request, response) => {
    const answer = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    if (request.url === '/healthz') return answer(200, '{"status":"ok"}');
    if (request.url === '/metrics') return sendMetrics(metrics, response);
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

function sendMetrics(
  { render, content_type }: Pick<WorkerMetrics, 'render' | 'content_type'>,
  response: ServerResponse,
): void {
  render().then(
    (text) => response.writeHead(200, { 'content-type': content_type }).end(text),
    () => response.writeHead(500).end(),
  );
}
