import { OpenAPIHono } from '@hono/zod-openapi';
import { AppError } from '@loom/shared/app-error';
import { newId } from '@loom/shared/ids';
import { allowedMethods } from './allowed-methods.ts';
import { turnBodyBytes } from './archive/turn-body-bytes.ts';
import { authenticate } from './authenticate.ts';
import { addDashboard } from './dashboard.ts';
import type { GatewayDeps, GatewayEnv } from './gateway-deps.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createIdentifier } from './identify.ts';
import { limitBody } from './limit-body.ts';
import { type Listening, listen } from './listen.ts';
import { createMetrics } from './metrics.ts';
import { createOnError } from './on-error.ts';
import { plainPage, servePage } from './page.ts';
import { createRateLimit } from './rate-limit.ts';
import type { GatewayApp } from './route.ts';
import { addAdminRoutes } from './routes/admin.ts';
import { addApprovalRoutes } from './routes/approvals.ts';
import { addArtifactRoutes } from './routes/artifacts.ts';
import { addCatalogRoutes } from './routes/catalog.ts';
import { addEventRoutes } from './routes/events.ts';
import { addKeyRoutes } from './routes/keys.ts';
import { addLearnedRoutes } from './routes/learned.ts';
import { addLoginRoutes } from './routes/login.ts';
import { addMcpServerRoutes } from './routes/mcp-servers.ts';
import { addMemoryRoutes } from './routes/memory.ts';
import { addMessageRoutes } from './routes/messages.ts';
import { addOpsRoutes } from './routes/ops.ts';
import { addQueueRoutes } from './routes/queues.ts';
import { addSessionRoutes } from './routes/sessions.ts';
import { addSubtaskControlRoutes } from './routes/subtask-control.ts';
import { addTaskControlRoutes } from './routes/task-control.ts';
import { addTaskFileRoutes } from './routes/task-files.ts';
import { addTaskRecordRoutes } from './routes/task-record.ts';
import { addTaskRoutes } from './routes/tasks.ts';
import { addTodoRoutes } from './routes/todos.ts';
import { addTurnRoutes } from './routes/turns.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';
import { createStreams } from './stream/open-stream.ts';
import { createStreamHub } from './stream/stream-hub.ts';

interface Gateway {
  app: GatewayApp;
  listen(address: { host: string; port: number }): Promise<Listening>;
}

/** The HTTP face of the product. It calls no model and runs no tool. */
export function createGateway(deps: GatewayDeps): Gateway {
  const now = deps.now ?? (() => new Date());
  const hub = createStreamHub(deps.bus);
  const streams = createStreams({ hub, logger: deps.logger, now });
  const parts: GatewayParts = {
    ...deps,
    now,
    streams,
    identifier: createIdentifier(deps.db, now),
    countRequest: createRateLimit(deps.config.rate_limit_per_minute),
    metrics: createMetrics({
      queueAdmin: deps.queueAdmin,
      streamCount: streams.count,
      workerMetrics: deps.workerMetrics,
    }),
  };
  const app = createApp(parts);
  return {
    app,
    listen: (address) =>
      listen(app, address, () => {
        hub.close();
        streams.closeAll();
      }),
  };
}

function createApp(parts: GatewayParts): GatewayApp {
  const app: GatewayApp = new OpenAPIHono<GatewayEnv>();
  const authenticated = authenticate(parts.identifier, parts.countRequest);
  app.onError(createOnError(parts.logger));
  app.notFound((c) => {
    const allow = allowedMethods(app.routes, c.req.path);
    if (allow.length === 0) throw new AppError('not_found', 'There is nothing at this address.');
    throw new AppError('method_not_allowed', `Use ${allow.join(' or ')} here.`, {
      details: { allow: allow.join(', ') },
    });
  });

  app.use(async (c, next) => {
    c.set('request_id', newId('req', parts.now()));
    await next();
    c.header('x-request-id', c.get('request_id'));
    c.header('x-content-type-options', 'nosniff');
    c.header('referrer-policy', 'no-referrer');
    if (c.res.headers.get('content-security-policy') === null) {
      c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    }
  });
  app.use(parts.metrics.measure);
  const { max_body_bytes } = parts.config;
  app.post('/api/sessions/:id/turns', limitBody(Math.max(turnBodyBytes, max_body_bytes)));
  app.use(limitBody(max_body_bytes));
  app.use('/api/*', authenticated);

  addOpsRoutes(app, parts);
  addLoginRoutes(app, parts);
  addSessionRoutes(app, parts);
  addTurnRoutes(app, parts);
  addMessageRoutes(app, parts);
  addTodoRoutes(app, parts);
  addTaskRoutes(app, parts);
  addTaskControlRoutes(app, parts);
  addSubtaskControlRoutes(app, parts);
  addTaskRecordRoutes(app, parts);
  addTaskFileRoutes(app, parts);
  addMemoryRoutes(app, parts);
  addLearnedRoutes(app, parts);
  addArtifactRoutes(app, parts);
  addApprovalRoutes(app, parts);
  addWebhookRoutes(app, parts);
  addEventRoutes(app, parts);
  addCatalogRoutes(app, parts);
  addQueueRoutes(app, parts);
  addAdminRoutes(app, parts);
  addKeyRoutes(app, parts);
  addMcpServerRoutes(app, parts);
  addDashboard(app, parts, authenticated);
  if (parts.webRoot === null) {
    const text = 'The page is not built. Build it with "npm run build", or use the API: see /docs.';
    app.get('/', (c) => c.html(plainPage('Loom', [text])));
  } else {
    app.use(servePage(parts.webRoot));
  }
  return app;
}
