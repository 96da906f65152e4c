import { pathToFileURL } from 'node:url';
import { AppError, errorMessage } from '@loom/shared/app-error';
import type { McpServerConfig } from '@loom/shared/mcp-config';
import type { ObservedMcpTool } from '@loom/shared/mcp-pins';
import { firstLine } from '@loom/shared/text';
import { Client, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { abortable } from './abortable.ts';
import { cleanText } from './clean-text.ts';
import { discoverTools } from './discover-tools.ts';
import { mcpLimits } from './limits.ts';
import { type OpenedTransport, openTransport, type ServerAccess } from './open-transport.ts';
import type { Redact } from './redact-secrets.ts';

/** An open connection and what the server listed on it. */
export interface ServerConnection {
  client: Client;
  redact: Redact;
  listTools(): Promise<Map<string, ObservedMcpTool>>;
}

interface ConnectOptions {
  signal: AbortSignal;
  onToolsChanged(): void;
  onClose(): void;
}

/** Disconnects a server that talks so much that nothing else would get done. */
function endFloods(transport: Transport): void {
  let second = 0;
  let count = 0;
  transport.onmessage = () => {
    const now = Math.floor(performance.now() / 1_000);
    count = now === second ? count + 1 : 1;
    second = now;
    if (count === mcpLimits.messages_a_second) void transport.close();
  };
}

function createClient(config: McpServerConfig, options: ConnectOptions): Client {
  const client = new Client(
    { name: 'loom', version: '1' },
    {
      // Sampling and elicitation are not offered, so such requests are refused.
      capabilities: { roots: {} },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: options.onToolsChanged },
      },
    },
  );
  const places = [...config.directories, ...config.read_directories];
  client.setRequestHandler('roots/list', () => ({
    roots: places.map((path) => ({ uri: pathToFileURL(path).href })),
  }));
  return client;
}

/** Starts or calls a server and greets it, all within its time; throws `unavailable` with the reason. */
export async function connectServer(
  name: string,
  access: ServerAccess,
  options: ConnectOptions,
): Promise<ServerConnection> {
  const { config, logger } = access;
  const timeout = config.connect_timeout_seconds * 1_000;
  const opened = await openTransport(access);
  const { transport, redact } = opened;
  endFloods(transport);
  const client = createClient(config, options);
  client.onerror = (error) =>
    logger.debug({ reason: firstLine(redact(error.message), 300) }, 'MCP server misbehaved');
  client.onclose = options.onClose;
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), options.signal]);
    await abortable(client.connect(transport, { timeout, signal }), signal);
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw new AppError('unavailable', whyNot(error, opened, timeout), { retryable: true });
  }
  return {
    client,
    redact,
    listTools: () =>
      discoverTools(client, {
        server: name,
        redact,
        logger,
        request: {
          timeout,
          signal: AbortSignal.any([AbortSignal.timeout(timeout), options.signal]),
        },
      }),
  };
}

function whyNot(error: unknown, { redact, lastWords }: OpenedTransport, timeout: number): string {
  const isLate =
    (error instanceof DOMException && error.name === 'TimeoutError') ||
    (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout);
  const said = isLate ? `no answer within ${timeout / 1_000} seconds` : errorMessage(error);
  const words = lastWords();
  const reason = firstLine(redact(cleanText(said)), 300);
  return words === '' ? reason : `${reason} (it printed: ${firstLine(words, 200)})`;
}
