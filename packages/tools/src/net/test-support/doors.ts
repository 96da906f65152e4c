import { errorMessage } from '@loom/shared/app-error';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { contextIn } from '../../test-workspace.ts';
import { webFetchTool } from '../../web-fetch.ts';
import { checkCallbackUrl } from '../check-url.ts';
import { guardedFetch } from '../guarded-fetch.ts';
import type { Resolve } from '../guarded-lookup.ts';
import { guardedRequest } from '../guarded-request.ts';

interface DoorOptions {
  allow_private: boolean;
  resolve: Resolve;
}

/** A way in which someone else's URL is called; it tells what became of the call. */
type Door = (url: string, options: DoorOptions) => Promise<string>;

const bounds = { timeout_ms: 10_000, max_bytes: 10_000 };
const hello = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

const fetchDoor: Door = async (url, options) => {
  const tool = webFetchTool({ ...options, ...bounds });
  return (await tool.run({ url }, contextIn(null))).text;
};

const webhookDoor: Door = async (url, options) => {
  const refusal = checkCallbackUrl(url, options.allow_private);
  if (refusal !== null) return refusal;
  const request = { url: new URL(url), method: 'POST', headers: {}, body: '{}' } as const;
  const answer = await guardedRequest({ ...request, ...options, ...bounds });
  return answer.outcome === 'failed' ? answer.reason : `answered ${answer.status}`;
};

const mcpDoor =
  (redirectPolicy: 'same-origin' | 'follow'): Door =>
  async (url, options) => {
    const fetch = guardedFetch({ ...options, ...bounds });
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch, redirectPolicy });
    await transport.start();
    await transport.send(hello).finally(() => transport.close());
    return 'answered';
  };

/** Every door through which an address that someone else chose is called. */
export const doors: [name: string, door: Door][] = (
  [
    ['web_fetch', fetchDoor],
    ['a webhook', webhookDoor],
    ['an MCP server', mcpDoor('same-origin')],
    ['an MCP server that redirects', mcpDoor('follow')],
  ] as [string, Door][]
).map(([name, door]) => [name, (url, options) => door(url, options).catch(errorMessage)]);
