import { AppError } from '@loom/shared/app-error';
import type { MiddlewareHandler } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';
import type { Identifier } from './identify.ts';
import type { CountRequest } from './rate-limit.ts';
import { remoteAddress } from './remote-address.ts';
import { requireSameOrigin } from './same-origin.ts';

/** Lets nobody pass who is not known, asks too often, or asks with a cookie from another site. */
export function authenticate(
  identifier: Identifier,
  countRequest: CountRequest,
): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    const found = await identifier.identify(c);
    if (found === null) {
      await countRequest(`address ${remoteAddress(c) ?? 'unknown'}`);
      throw new AppError(
        'unauthenticated',
        'Send a valid API key as "Authorization: Bearer <key>", or sign in to the page.',
      );
    }
    await countRequest(`key ${found.identity.key_id}`);
    if (found.by === 'cookie') requireSameOrigin(c);
    c.set('identity', found.identity);
    await next();
  };
}
