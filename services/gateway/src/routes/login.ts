import { findIdentityByKey } from '@loom/db/read/api-keys';
import { createLoginCookie, exchangeLoginToken } from '@loom/db/read/web-logins';
import { AppError } from '@loom/shared/app-error';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { GatewayEnv } from '../gateway-deps.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { sessionCookie } from '../identify.ts';
import { plainPage } from '../page.ts';
import { remoteAddress } from '../remote-address.ts';
import { addRoute, type GatewayApp } from '../route.ts';

const cookieSeconds = 30 * 24 * 60 * 60;

/** Signing a browser in, by a one-time link or by a key. */
export function addLoginRoutes(app: GatewayApp, parts: GatewayParts): void {
  const { db, identifier, countRequest } = parts;
  const common = { tag: 'Sign-in', path: '/login', access: 'public' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      summary: 'Exchange a one-time link for a cookie',
      query: z.object({ token: z.string().max(200).optional() }),
      status: 302,
    },
    async (c, { query }) => {
      await countRequest(`address ${remoteAddress(c) ?? 'unknown'}`);
      const cookie = query.token ? await exchangeLoginToken(db, query.token) : null;
      if (cookie !== null) giveCookie(c, cookie);
      else if (query.token !== undefined && (await identifier.identify(c)) === null) {
        return c.html(
          plainPage('This link cannot be used', [
            'A sign-in link works once, for 15 minutes.',
            'Start the gateway again, or run "loom up", and use the new link that it prints; or go to the page and sign in with an API key.',
          ]),
          401,
        );
      }
      return c.redirect('/');
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      summary: 'Exchange an API key for a cookie',
      body: z.strictObject({ key: z.string().min(1).max(1_000) }),
      status: 204,
    },
    async (c, { body }) => {
      await countRequest(`address ${remoteAddress(c) ?? 'unknown'}`);
      const identity = await findIdentityByKey(db, body.key.trim());
      if (identity === null) throw new AppError('unauthenticated', 'There is no such API key.');
      const { tenant_id, key_id } = identity;
      giveCookie(c, await createLoginCookie(db, { tenant_id, api_key_id: key_id }));
      return c.body(null, 204);
    },
  );
}

function giveCookie(c: Context<GatewayEnv>, cookie: string): void {
  const isHttps =
    c.req.header('x-forwarded-proto') === 'https' || new URL(c.req.url).protocol === 'https:';
  setCookie(c, sessionCookie, cookie, {
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    maxAge: cookieSeconds,
    secure: isHttps,
  });
}
