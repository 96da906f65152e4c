import { AppError } from '@loom/shared/app-error';
import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses a changing request that a browser sent, cookie and all, for a page that is not ours. */
export function requireSameOrigin(c: Context<GatewayEnv>): void {
  if (safeMethods.has(c.req.method) || isSameOrigin(c)) return;
  throw new AppError(
    'forbidden',
    'A request that signs in by cookie must come from this page. Programs use an API key.',
  );
}

function isSameOrigin(c: Context<GatewayEnv>): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('origin');
  // The host alone: behind a proxy that ends TLS the schemes differ.
  return (
    origin !== undefined &&
    URL.canParse(origin) &&
    new URL(origin).host === c.req.header('host')?.toLowerCase()
  );
}
