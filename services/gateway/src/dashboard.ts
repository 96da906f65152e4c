import type { QueueAdmin } from '@loom/shared/queue-admin';
import type { Hono, MiddlewareHandler } from 'hono';
import { requireAccess } from './access.ts';
import { answerRetry, offerRetries, readRetry } from './dashboard-retry.ts';
import type { GatewayEnv } from './gateway-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { GatewayApp } from './route.ts';

const dashboardPath = '/admin/queues';

const dashboardPolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** bull-board, to look, and to retry what failed: its own hands touch nothing. */
export function addDashboard(
  app: GatewayApp,
  parts: GatewayParts,
  authenticated: MiddlewareHandler<GatewayEnv>,
): void {
  let board: Promise<Hono> | null = null;
  const serve: MiddlewareHandler<GatewayEnv> = async (c) => {
    const isBrowser = c.req.header('accept')?.includes('text/html') ?? false;
    const hasCredentials = c.req.header('authorization') ?? c.req.header('cookie');
    if (isBrowser && hasCredentials === undefined) return c.redirect('/');
    const refusal = await authenticated(c, async () => {
      requireAccess(c.get('identity'), 'operator');
      const retry = readRetry(c.req.method, c.req.path);
      if (retry === null) {
        board ??= openBoard(parts.queueAdmin);
        const response = await (await board).fetch(c.req.raw, c.env);
        c.res = await offerRetries(response, new URL(c.req.url));
      } else {
        c.res = await answerRetry(c, parts, retry);
      }
      c.header('content-security-policy', dashboardPolicy);
    });
    return refusal ?? c.res;
  };
  app.all(dashboardPath, serve);
  app.all(`${dashboardPath}/*`, serve);
}

/** Loaded when an operator first looks: it takes 10 MB that an idle gateway can do without. */
async function openBoard(queueAdmin: QueueAdmin): Promise<Hono> {
  const [{ createBullBoard }, { BullMQAdapter }, { HonoAdapter }, { serveStatic }, { Hono }] =
    await Promise.all([
      import('@bull-board/api'),
      import('@bull-board/api/bullMQAdapter'),
      import('@bull-board/hono'),
      import('@hono/node-server/serve-static'),
      import('hono'),
    ]);
  type DashboardQueue = ConstructorParameters<typeof BullMQAdapter>[0];
  const adapter = new HonoAdapter(serveStatic);
  adapter.setBasePath(dashboardPath);
  const toReadOnly = (queue: unknown) =>
    new BullMQAdapter(queue as DashboardQueue, { readOnlyMode: true, allowRetries: false });
  createBullBoard({
    queues: queueAdmin.dashboardQueues().map(toReadOnly),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Loom queues' } },
  });
  return new Hono().route(dashboardPath, adapter.registerPlugin());
}
