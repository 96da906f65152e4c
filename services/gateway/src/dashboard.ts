import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { HonoAdapter } from '@bull-board/hono';
import { serveStatic } from '@hono/node-server/serve-static';
import type { QueueAdmin } from '@loom/shared/queue-admin';
import type { MiddlewareHandler } from 'hono';
import { requireAccess } from './access.ts';
import type { GatewayEnv } from './gateway-deps.ts';
import type { GatewayApp } from './route.ts';

const dashboardPath = '/admin/queues';

const dashboardPolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

type DashboardQueue = ConstructorParameters<typeof BullMQAdapter>[0];

/**
 * bull-board, to look only: a retry must go through our own path, which knows the unit behind a job
 * and writes down who asked.
 */
export function addDashboard(
  app: GatewayApp,
  queueAdmin: QueueAdmin,
  authenticated: MiddlewareHandler<GatewayEnv>,
): void {
  const adapter = new HonoAdapter(serveStatic);
  adapter.setBasePath(dashboardPath);
  createBullBoard({
    queues: queueAdmin
      .dashboardQueues()
      .map(
        (queue) =>
          new BullMQAdapter(queue as DashboardQueue, { readOnlyMode: true, allowRetries: false }),
      ),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Loom queues' } },
  });
  const guard: MiddlewareHandler<GatewayEnv> = async (c, next) => {
    const isBrowser = c.req.header('accept')?.includes('text/html') ?? false;
    const hasCredentials = c.req.header('authorization') ?? c.req.header('cookie');
    if (isBrowser && hasCredentials === undefined) return c.redirect('/');
    return authenticated(c, async () => {
      requireAccess(c.get('identity'), 'operator');
      await next();
      c.header('content-security-policy', dashboardPolicy);
    });
  };
  app.use(dashboardPath, guard);
  app.use(`${dashboardPath}/*`, guard);
  app.route(dashboardPath, adapter.registerPlugin());
}
