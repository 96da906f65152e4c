import { AppError } from '@loom/shared/app-error';
import type { Logger } from '@loom/shared/logger';
import type { McpCredentials, McpServerConfig } from '@loom/shared/mcp-config';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { guardedFetch } from '../net/guarded-fetch.ts';
import type { ShellOptions } from '../sandbox/shell-options.ts';
import { mcpLimits } from './limits.ts';
import { logStderr } from './log-stderr.ts';
import { processTransport } from './process-transport.ts';
import { type Redact, redactSecrets } from './redact-secrets.ts';
import { serverProgram } from './server-program.ts';

/** How a server is reached, by whom. */
export interface ServerAccess {
  config: McpServerConfig;
  credentials: McpCredentials;
  secret(name: string): string | undefined;
  shell: ShellOptions;
  allow_private: boolean;
  logger: Logger;
}

/** A way to a server that is not started yet. */
export interface OpenedTransport {
  transport: Transport;
  redact: Redact;
  /** What the program last printed beside the protocol; empty for a URL. */
  lastWords(): string;
}

function resolve(names: Record<string, string>, secret: ServerAccess['secret']) {
  const entries = Object.entries(names).map(([name, variable]): [string, string] => {
    const value = secret(variable);
    if (value === undefined) {
      throw new AppError('unavailable', `the environment variable ${variable} is not set`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** Makes the way to a server: a confined program, or guarded requests to a URL. */
export async function openTransport(access: ServerAccess): Promise<OpenedTransport> {
  const { config, credentials, secret, shell, logger } = access;
  const env = resolve(credentials.env, secret);
  const headers = resolve(credentials.headers_env, secret);
  const redact = redactSecrets(Object.values({ ...env, ...headers }));
  if (config.url === undefined) {
    const stderr = logStderr(logger, redact);
    const program = await serverProgram(config, { shell, env });
    return {
      transport: processTransport(program, stderr.push),
      redact,
      lastWords: stderr.lastLine,
    };
  }
  const fetch = guardedFetch({
    allow_private: access.allow_private,
    timeout_ms: Math.max(config.connect_timeout_seconds, config.call_timeout_seconds) * 1_000,
    max_bytes: mcpLimits.message_bytes,
  });
  const url = new URL(config.url);
  const transport = new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } });
  return { transport, redact, lastWords: () => '' };
}
