import { createHash } from 'node:crypto';
import { AppError } from '@loom/shared/app-error';
import type { Idempotency } from '@loom/shared/intake';
import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';

/** The header as the document names it. */
export const idempotencyHeader = {
  'Idempotency-Key':
    'Same key and body: the stored response. At most 255 visible ASCII characters.',
};

/** The client's key with a hash that is equal for equal requests, however their JSON is spelled. */
export function readIdempotency(c: Context<GatewayEnv>, body: unknown): Idempotency | null {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return null;
  if (!/^[!-~]{1,255}$/.test(key)) {
    const message = 'must be 1 to 255 visible ASCII characters';
    throw new AppError('invalid_request', `The header Idempotency-Key ${message}.`, {
      details: { errors: [{ path: 'Idempotency-Key', message }] },
    });
  }
  const request = [c.req.method, c.req.path, canonicalJson(body)].join('\n');
  return { key, request_hash: createHash('sha256').update(request).digest('hex') };
}

/** Tells the client that this answer was given before. */
export function markReplayed(c: Context<GatewayEnv>, replayed: boolean): void {
  if (replayed) c.header('Idempotency-Replayed', 'true');
}

/** JSON with the keys of every object in order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${entries.join(',')}}`;
}
