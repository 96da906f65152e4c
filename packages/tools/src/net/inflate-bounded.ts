import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib';

interface InflateBounds {
  /** Of what comes out, whatever went in. */
  max_bytes: number;
  signal: AbortSignal;
}

interface Inflated {
  body: Buffer;
  /** False when it is only the beginning: too long, or broken. */
  complete: boolean;
}

/** Nobody packs a page more often, but bombs are packed like that. */
const maxCodings = 2;

/**
 * Unpacks an answer's body as its `content-encoding` says. It stops unpacking at the bound, so that
 * what unpacks to gigabytes costs no more than what does not. Null for an encoding nobody asked for.
 */
export async function inflateBounded(
  body: Buffer,
  encoding: string | undefined,
  bounds: InflateBounds,
): Promise<Inflated | null> {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  const applied = codings.filter((one) => one !== '' && one !== 'identity').reverse();
  if (applied.length > maxCodings) return null;
  let inflated: Inflated = { body, complete: true };
  for (const coding of applied) {
    const stream = openInflate(coding, inflated.body);
    if (stream === null) return null;
    const next = await drain(stream, inflated.body, bounds);
    inflated = { body: next.body, complete: inflated.complete && next.complete };
  }
  return inflated;
}

type Inflate = ReturnType<typeof createGunzip>;

function openInflate(coding: string, body: Buffer): Inflate | null {
  // What was cut off gives what it holds.
  const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(lenient);
  // Some servers leave out the two bytes that the standard asks for.
  if (coding === 'deflate')
    return isZlib(body) ? createInflate(lenient) : createInflateRaw(lenient);
  if (coding !== 'br') return null;
  return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
}

function isZlib(body: Buffer): boolean {
  return ((body[0] ?? 0) & 0x0f) === 8;
}

function drain(
  stream: Inflate,
  packed: Buffer,
  { max_bytes, signal }: InflateBounds,
): Promise<Inflated> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (complete: boolean): void => {
      signal.removeEventListener('abort', onAbort);
      stream.destroy();
      resolve({ body: Buffer.concat(chunks).subarray(0, max_bytes), complete });
    };
    const onAbort = (): void => {
      stream.destroy();
      reject(signal.reason);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > max_bytes) settle(false);
    });
    stream.on('end', () => settle(true));
    stream.on('error', () => settle(false));
    stream.end(packed);
  });
}
