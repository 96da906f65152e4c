import { z } from 'zod';
import { requireAccess } from '../access.ts';
import { authenticate } from '../authenticate.ts';
import { apiDocument, sendDocs } from '../docs.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { isLoopback } from '../remote-address.ts';
import { addRoute, type GatewayApp } from '../route.ts';

/** What machines and newcomers look at: health, metrics, the document of the API. */
export function addOpsRoutes(app: GatewayApp, parts: GatewayParts): void {
  const { metrics, identifier, countRequest, version } = parts;
  const common = { tag: 'Operation', access: 'public', method: 'get', status: 200 } as const;

  addRoute(
    app,
    {
      ...common,
      path: '/healthz',
      summary: 'Whether the process lives',
      response: z.object({ status: z.string(), version: z.string() }),
    },
    (c) => c.json({ status: 'ok', version }),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/readyz',
      summary: 'Whether everything it depends on can be reached; 503 until then',
      response: z.object({ status: z.string(), checks: z.record(z.string(), z.string()) }),
    },
    async (c) => {
      const { ok, checks } = await parts.isReady();
      return c.json({ status: ok ? 'ready' : 'not_ready', checks }, ok ? 200 : 503);
    },
  );

  const authenticated = authenticate(identifier, countRequest);
  addRoute(
    app,
    {
      ...common,
      path: '/metrics',
      summary: 'Prometheus metrics; an admin key is needed unless asked from this machine',
    },
    async (c) => {
      if (!isLoopback(c)) {
        await authenticated(c, async () => requireAccess(c.get('identity'), 'operator'));
      }
      return c.body(await metrics.render(), 200, { 'content-type': metrics.content_type });
    },
  );

  let document: string | null = null;
  app.get('/openapi.json', (c) => {
    document ??= JSON.stringify(apiDocument(app, version));
    return c.body(document, 200, { 'content-type': 'application/json' });
  });
  app.get('/docs', (c) => sendDocs(c, apiDocument(app, version)));
}
