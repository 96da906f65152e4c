import { Scalar } from '@scalar/hono-api-reference';
import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';
import type { GatewayApp } from './route.ts';

type ApiDocument = ReturnType<GatewayApp['getOpenAPI31Document']>;

/** The OpenAPI document, made from the routes themselves. */
export function apiDocument(app: GatewayApp, version: string): ApiDocument {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Loom', version, description: 'Conversations that do real work.' },
  });
  const securitySchemes = {
    bearer: { type: 'http' as const, scheme: 'bearer' },
    cookie: { type: 'apiKey' as const, in: 'cookie' as const, name: 'loom_session' },
  };
  return { ...document, components: { ...document.components, securitySchemes } };
}

/** The reference is drawn by a script from a public host, which only this page may load. */
const docsPolicy = [
  "default-src 'self'",
  "script-src 'unsafe-inline' https://cdn.jsdelivr.net",
  "style-src 'self' 'unsafe-inline' https://cdn.jsdelivr.net",
  "img-src 'self' data: https:",
  "font-src 'self' data: https:",
  "frame-ancestors 'none'",
].join('; ');

const sendReference = Scalar<GatewayEnv>({ url: '/openapi.json', pageTitle: 'Loom API' });

/** The interactive reference, with a plain list below that needs no network and no script. */
export async function sendDocs(c: Context<GatewayEnv>, document: ApiDocument): Promise<Response> {
  const rows = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(
      ([method, operation]: [string, { summary?: string }]) =>
        `<tr><td><code>${method.toUpperCase()} ${path}</code></td><td>${operation.summary ?? ''}</td></tr>`,
    ),
  );
  const list = `<details><summary>Plain list (the reference above needs the internet; the document is <a href="/openapi.json">/openapi.json</a>)</summary>
<table>${rows.join('\n')}</table></details>`;
  const reference = await sendReference(c, async () => {});
  const page = (await reference?.text()) ?? '<body></body>';
  c.header('content-security-policy', docsPolicy);
  return c.html(page.replace('</body>', `${list}</body>`));
}
