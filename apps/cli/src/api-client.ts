import { randomUUID } from 'node:crypto';
import { problemSchema } from '@loom/shared/api';
import { errorMessage } from '@loom/shared/app-error';
import type { z } from 'zod';
import { CommandFailure } from './command-failure.ts';
import type { Connection } from './connection.ts';
import { exitCodes } from './exit-codes.ts';
import { renderProblem } from './render-problem.ts';

const requestTimeoutMs = 30_000;

/** The gateway as commands see it. A refusal is a CommandFailure in the gateway's own words. */
export interface ApiClient {
  base_url: string;
  /** The answer's JSON as it came, null when it has none. */
  request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  /** An answer that keeps coming; the response is returned whatever its status. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
}

export function createApiClient({ base_url, key }: Connection): ApiClient {
  const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(`${base_url}${path}`, init);
    } catch (error) {
      throw unreachable(base_url, error);
    }
  };
  return {
    base_url,
    async request(method, path, body) {
      const headers: Record<string, string> = { ...authorization, accept: 'application/json' };
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (method === 'POST') headers['idempotency-key'] = randomUUID();
      const response = await send(path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
      if (!response.ok) throw await refusal(response);
      const text = await response.text();
      return text === '' ? null : parseJson(text);
    },
    open: (path, headers, signal) =>
      send(path, { headers: { ...authorization, ...headers }, signal }),
  };
}

/** The failure that an answer outside 2xx stands for. */
export async function refusal(response: Response): Promise<CommandFailure> {
  const text = await response.text().catch(() => '');
  const problem = problemSchema.safeParse(parseJson(text));
  return problem.success
    ? new CommandFailure(renderProblem(problem.data), { problem: problem.data })
    : new CommandFailure(
        `The gateway answered ${response.status} without saying why. Is ${response.url} a loom gateway?`,
      );
}

/** Reads an answer as what it should be; anything else means another version at the other end. */
export function readAs<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CommandFailure(
    'The gateway gave an answer that this command does not understand. Are both of the same version?',
  );
}

function unreachable(baseUrl: string, error: unknown): CommandFailure {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : errorMessage(error);
  return new CommandFailure(
    `Cannot reach the gateway at ${baseUrl} (${code}). Start one with "loom up", or name another with --url.`,
    { exit_code: exitCodes.unreachable },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
