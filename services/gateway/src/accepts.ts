import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';

/** Whether the client names a media type as one that it takes. */
export function accepts(c: Context<GatewayEnv>, mediaType: string): boolean {
  const header = c.req.header('accept') ?? '';
  return header
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase())
    .includes(mediaType);
}
