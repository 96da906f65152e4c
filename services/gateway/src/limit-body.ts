import { AppError } from '@loom/shared/app-error';
import type { MiddlewareHandler } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';

/**
 * Refuses a body that says it is too large, and has one of unknown size counted as it is read. The
 * first limit that a request meets is its own.
 */
export function limitBody(maxBytes: number): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    if (c.get('max_body_bytes') !== undefined) return next();
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
    c.set('max_body_bytes', maxBytes);
    await next();
  };
}

/** Reads a body to its end, or to the limit; a sender that leaves in between has sent none. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  try {
    return await readAll(request, maxBytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('malformed_request', 'The body ended before it was complete.', {
      cause: error,
    });
  }
}

async function readAll(request: Request, maxBytes: number): Promise<Uint8Array> {
  // Of a length that was announced and checked no more can come.
  if (request.headers.has('content-length')) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}
