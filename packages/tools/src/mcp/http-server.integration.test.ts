import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serve } from '../net/test-support/serve.ts';
import { contextIn } from '../test-workspace.ts';
import { patient } from './test-support/hostile-server.ts';
import { openMcpWorld } from './test-support/mcp-world.ts';

interface Request {
  id?: number;
  method: string;
  params?: { name?: string; protocolVersion?: string };
}

type Answer = (request: Request, response: ServerResponse, incoming: IncomingMessage) => boolean;

function reply(response: ServerResponse, id: number | undefined, result: object): true {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  return true;
}

/** A server that greets and lists properly, and does with calls what a test wants. */
function serveMcp(onCall: Answer): Promise<string> {
  const answer: Answer = (request, response, incoming) => {
    const { id, method, params } = request;
    if (method === 'initialize') {
      const serverInfo = { name: 'hostile', version: '0' };
      const { protocolVersion } = params ?? {};
      return reply(response, id, { protocolVersion, serverInfo, capabilities: { tools: {} } });
    }
    if (method === 'tools/list') {
      return reply(response, id, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
    }
    if (method === 'tools/call') return onCall(request, response, incoming);
    response.statusCode = 202;
    response.end();
    return true;
  };
  return serve(async (incoming, response) => {
    if (incoming.method !== 'POST') {
      response.statusCode = 405;
      response.end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    answer(JSON.parse(Buffer.concat(chunks).toString()), response, incoming);
  });
}

describe('a server at a URL', () => {
  test('gets its headers, and what it says of them is cut out', async () => {
    const url = await serveMcp(({ id }, response, { headers }) =>
      reply(response, id, { content: [{ type: 'text', text: `you said ${headers['x-key']}` }] }),
    );
    const world = await openMcpWorld({
      servers: { far: { url, ...patient, headers_env: { 'X-Key': 'FAR_KEY' } } },
      secrets: { FAR_KEY: 'a-long-secret' },
    });
    expect((await world.run('far__act', {})).text).toBe('you said [redacted]');
  });

  test('is called with a tenant’s own credentials where it has some', async () => {
    const seen: unknown[] = [];
    const url = await serveMcp(({ id }, response, { headers }) => {
      seen.push(headers['x-key']);
      return reply(response, id, { content: [] });
    });
    const world = await openMcpWorld({
      servers: { far: { url, ...patient, headers_env: { 'X-Key': 'SHARED' } } },
      tenants: { acme: { mcp: { far: { env: {}, headers_env: { 'X-Key': 'ACME' } } } } },
      secrets: { SHARED: 'shared-secret', ACME: 'acme-secret' },
    });
    for (const tenant of ['default', 'acme', 'other']) {
      await (await world.tool('far__act', tenant)).run({}, contextIn(null));
    }
    expect(seen).toEqual(['shared-secret', 'acme-secret', 'shared-secret']);
    expect([...world.pins.rows.keys()]).toEqual(['*/far/act', 'acme/far/act']);
  });

  test('that has forgotten us is greeted again', async () => {
    let calls = 0;
    const url = await serveMcp(({ id }, response) => {
      calls += 1;
      if (calls > 1) return reply(response, id, { content: [{ type: 'text', text: 'known' }] });
      response.statusCode = 404;
      response.end();
      return true;
    });
    const world = await openMcpWorld({ servers: { far: { url, ...patient } } });
    expect(await world.run('far__act', {})).toEqual({ ok: true, text: 'known' });
  });

  test('with an answer without end, or an error that shows a secret, fails', async () => {
    const url = await serveMcp((_, response, { headers }) => {
      if (headers['x-mode'] === 'refuse-me') {
        response.statusCode = 500;
        response.end(`bad key ${headers['x-key']}`);
        return true;
      }
      response.setHeader('content-type', 'application/json');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
      };
      response.on('drain', more);
      more();
      return true;
    });
    const headers_env = { 'X-Key': 'FAR_KEY', 'X-Mode': 'MODE' };
    const open = (mode: string) =>
      openMcpWorld({
        servers: { far: { url, ...patient, headers_env } },
        secrets: { FAR_KEY: 'a-long-secret', MODE: mode },
      });
    const endless = await (await open('endless')).run('far__act', {});
    expect(endless).toMatchObject({ ok: false, error_code: 'failed' });
    expect(endless.text).toContain('longer than 16777216 bytes');
    const refused = await (await open('refuse-me')).run('far__act', {});
    expect(refused.text).toContain('bad key [redacted]');
  });

  test('that never answers costs its timeout', async () => {
    const url = await serveMcp(() => true);
    const world = await openMcpWorld({
      servers: { far: { url, ...patient, call_timeout_seconds: 0.3 } },
    });
    expect(await world.run('far__act', {})).toMatchObject({ ok: false, error_code: 'timeout' });
  });

  test('in a private network is not called unless the operator allows it', async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.end();
    });
    const world = await openMcpWorld({ servers: { far: { url } }, allow_private: false });
    expect(await world.names()).toEqual([]);
    expect(world.logged.join('')).toContain('only the public internet is called');
    expect(requests).toBe(0);
  });
});
