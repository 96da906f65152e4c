import type { Database } from '@loom/db/database';
import { findIdentityByKey, type Identity } from '@loom/db/read/api-keys';
import { hashSecret } from '@loom/db/read/secret-token';
import { findIdentityByCookie } from '@loom/db/read/web-logins';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { GatewayEnv } from './gateway-deps.ts';

/** The cookie of a browser that signed in. */
export const sessionCookie = 'loom_session';

/** How long a revoked key may still be accepted by a gateway that did not revoke it itself. */
const cacheMs = 5_000;
const maxCached = 10_000;

interface Identified {
  identity: Identity;
  /** A browser sends its cookie whoever asks it to; a key is sent only by its holder. */
  by: 'key' | 'cookie';
}

/** Finds out who asks. */
export interface Identifier {
  identify(c: Context<GatewayEnv>): Promise<Identified | null>;
  /** Forgets everybody, so that a revocation holds at once. */
  forget(): void;
}

/** Remembers whom it found for a few seconds, by hash; unknown keys are looked up every time. */
export function createIdentifier(db: Database, now: () => Date): Identifier {
  const cache = new Map<string, { identity: Identity; until: number }>();

  const remember = async (
    secret: string,
    find: (db: Database, secret: string) => Promise<Identity | null>,
  ) => {
    const hash = hashSecret(secret);
    const time = now().getTime();
    const known = cache.get(hash);
    if (known !== undefined && known.until > time) return known.identity;
    cache.delete(hash);
    const identity = await find(db, secret);
    if (identity === null) return null;
    if (cache.size >= maxCached) cache.clear();
    cache.set(hash, { identity, until: time + cacheMs });
    return identity;
  };

  return {
    async identify(c) {
      const header = c.req.header('authorization');
      if (header !== undefined) {
        const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
        const identity = key === undefined ? null : await remember(key, findIdentityByKey);
        return identity === null ? null : { identity, by: 'key' };
      }
      const cookie = getCookie(c, sessionCookie);
      const identity = cookie ? await remember(`cookie ${cookie}`, findByPrefixed) : null;
      return identity === null ? null : { identity, by: 'cookie' };
    },
    forget: () => cache.clear(),
  };
}

// Keys and cookies share the cache; the prefix keeps one from passing for the other.
function findByPrefixed(db: Database, secret: string): Promise<Identity | null> {
  return findIdentityByCookie(db, secret.slice('cookie '.length));
}
