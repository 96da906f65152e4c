import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which queue backend the project's tests run on; set by each project's `provide`. */
    backend: 'postgres' | 'redis';
    /** Null: no Redis can be had here. */
    redis_url: string | null;
  }
}

/** The queue backend that the current test file is to use. */
export interface TestBackend {
  kind: 'postgres' | 'redis';
  /** Null on the Postgres backend. */
  redis_url: string | null;
  /** Random for each test file, so that files share one Redis without meeting. */
  prefix: string;
}

const prefix = `test-${randomBytes(6).toString('hex')}`;

/** The backend of the current vitest project; without one it is Postgres. */
export function testBackend(): TestBackend {
  const kind = inject('backend') ?? 'postgres';
  if (kind === 'postgres') return { kind, redis_url: null, prefix };
  const redisUrl = inject('redis_url');
  if (redisUrl === null) {
    throw new Error('This project needs Redis: install redis-server or set REDIS_URL.');
  }
  return { kind, redis_url: redisUrl, prefix };
}
