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
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) {
      await passOver(c.req.raw.body?.getReader());
      throw tooLarge(maxBytes);
    }
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
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > maxBytes) {
      await passOver(reader);
      throw tooLarge(maxBytes);
    }
    chunks.push(read.value);
  }
  return Buffer.concat(chunks);
}

/** So much of what is refused is still taken in, and so long. */
const passedOverBytes = 128 * 1_024 * 1_024;
const passedOverMs = 5_000;

/** Lets a sender end what it has begun: many clients read no answer before that. */
async function passOver(reader: BodyReader | undefined): Promise<void> {
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ done: true }>((resolve) => {
    timer = setTimeout(resolve, passedOverMs, { done: true });
  });
  try {
    while (reader !== undefined && size < passedOverBytes) {
      const read = await Promise.race([reader.read(), late]);
      if (read.done) return;
      size += read.value.byteLength;
    }
  } catch {
    // It has left, and reads no answer either.
  } finally {
    clearTimeout(timer);
  }
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maxBytes} bytes.`);
}
