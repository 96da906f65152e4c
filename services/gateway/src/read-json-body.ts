import { AppError } from '@loom/shared/app-error';
import { isStorableText } from '@loom/shared/text';
import type { Context } from 'hono';
import type { GatewayEnv } from './gateway-deps.ts';
import { readBytes } from './limit-body.ts';
import { invalidField } from './problem.ts';

// Far beyond any real request, and far below where recursive readers run out of stack.
const maxDepth = 64;

const jsonType = /^application\/([a-z0-9.+-]+\+)?json\s*(;.*)?$/i;

/** The request's body as JSON; `undefined` when there is none. */
export async function readJsonBody(c: Context<GatewayEnv>): Promise<unknown> {
  const bytes = await readBytes(c.req.raw, c.get('max_body_bytes'));
  if (bytes.byteLength === 0) return undefined;
  if (!jsonType.test(c.req.header('content-type') ?? '')) {
    throw new AppError(
      'unsupported_media_type',
      'The body must be JSON: set "Content-Type: application/json".',
    );
  }
  const text = decodeUtf8(bytes);
  if (depthOf(text) > maxDepth) {
    throw new AppError('invalid_request', `The body is nested deeper than ${maxDepth} levels.`);
  }
  const body = parseJson(text);
  const unstorable = findUnstorable(body, []);
  if (unstorable !== null) {
    throw invalidField(unstorable, 'must not contain NUL characters or unpaired surrogates');
  }
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('malformed_request', 'The body is not well-formed JSON.');
  }
}

/** The path of a text that the database could not keep: refused here once for all fields. */
export function findUnstorable(value: unknown, path: string[]): string | null {
  if (typeof value === 'string') return isStorableText(value) ? null : path.join('.');
  if (value === null || typeof value !== 'object') return null;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorableText(key)) return path.join('.');
    const found = findUnstorable(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('malformed_request', 'The body is not valid UTF-8.');
  }
}

/** How deeply brackets nest outside of strings; counted before parsing, since parsers recurse. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const char = json[i];
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
}
