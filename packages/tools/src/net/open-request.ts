import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import { guardedLookup, type Resolve, resolveHost } from './guarded-lookup.ts';

interface OutgoingRequest {
  /** Has passed `checkUrl`. */
  url: URL;
  method: string;
  headers: Record<string, string>;
  /** Also lets addresses of private networks through. */
  allow_private: boolean;
  resolve?: Resolve | undefined;
}

/** A request that is not sent yet. It connects to no address that the guard refuses, and to no proxy. */
export function openRequest(options: OutgoingRequest): ClientRequest {
  const { url, method, headers, allow_private, resolve = resolveHost } = options;
  const secure = url.protocol === 'https:';
  return (secure ? https : http).request(url, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    // Addresses as hosts are not looked up: `checkUrl` has seen them.
    lookup: guardedLookup(resolve, allow_private),
    // One of its own: no connection is shared with, or left for, another request.
    agent: secure ? new https.Agent({ rejectUnauthorized: true }) : new http.Agent(),
  });
}

/** A failed request's reason in a few words. */
export function describeFailure(error: Error): string {
  // Several addresses were tried: the first failure says as much as all of them.
  const first = error instanceof AggregateError ? error.errors[0] : null;
  const told = first instanceof Error ? first : error;
  return told.message === '' ? told.name : told.message;
}
