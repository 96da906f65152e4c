import { serveStatic } from '@hono/node-server/serve-static';
import type { MiddlewareHandler } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';

const pagePolicy = [
  "default-src 'self'",
  // Highlighted code and charts set styles on their elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The built page: hashed assets for ever, the entry asked for anew each time. */
export function servePage(webRoot: string): MiddlewareHandler<GatewayEnv> {
  const serveFile = serveStatic<GatewayEnv>({ root: webRoot });
  return async (c, next) => {
    const response = await serveFile(c, next);
    if (!response) return;
    const isHashed = c.req.path.startsWith('/assets/');
    const caching = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    response.headers.set('cache-control', caching);
    response.headers.set('content-security-policy', pagePolicy);
    return response;
  };
}

/** A small page of plain text, for the few things said to browsers without the real one. */
export function plainPage(title: string, paragraphs: string[]): string {
  const body = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
