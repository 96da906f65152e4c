import type { Logger } from '@loom/shared/logger';
import type { Context } from 'hono';
import type { GatewayEnv } from '../gateway-deps.ts';
import { createBoundedBody } from '../stream/bounded-body.ts';

const writeTimeoutMs = 30_000;

/**
 * Answers with a text that is made while it is sent, no faster than the reader takes it. What
 * cannot be sent to its end is cut, so that nobody takes a part for the whole.
 */
export function sendPieces(
  c: Context<GatewayEnv>,
  pieces: AsyncGenerator<string, void>,
  options: { headers: Record<string, string>; logger: Logger },
): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, options.headers);
  const body = createBoundedBody({ write_timeout_ms: writeTimeoutMs });
  const cut = () => c.env?.outgoing?.destroy();
  void body.when_closed.then((reason) => {
    if (reason === 'stalled') cut();
  });
  void (async () => {
    try {
      for await (const piece of pieces) if (!(await body.write(piece))) return;
      body.close();
    } catch (err) {
      options.logger.warn({ err, path: c.req.path }, 'answer cut');
      cut();
    }
  })();
  return c.body(body.stream, 200, options.headers);
}
