import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';

/** The address at the other end of the socket. */
export function remoteAddress(c: Context<GatewayEnv>): string | null {
  return c.env?.incoming?.socket.remoteAddress ?? null;
}

/** Whether a request was made on this machine, and not passed on by a proxy on it. */
export function isLoopback(c: Context<GatewayEnv>): boolean {
  if (c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined) {
    return false;
  }
  const address = remoteAddress(c) ?? '';
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
