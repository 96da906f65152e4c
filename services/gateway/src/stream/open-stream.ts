import type { Logger } from '@loom/shared/logger';
import type { Context } from 'hono';
import type { GatewayEnv } from '../gateway-deps.ts';
import { type BoundedBody, createBoundedBody } from './bounded-body.ts';
import { openingFrame } from './event-frame.ts';
import { followLog, type LogView } from './follow-log.ts';
import type { StreamHub } from './stream-hub.ts';

interface StreamStart {
  after: number;
  /** Sent before anything of the log, to a reader whose cursor is of no use. */
  reset_frame?: string;
}

/** The event streams of one gateway. */
export interface Streams {
  open(c: Context<GatewayEnv>, log: LogView, start: StreamStart): Response;
  count(): number;
  /** Ends every stream; their readers resume elsewhere. */
  closeAll(): void;
}

const writeTimeoutMs = 30_000;

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Opens streams on logs and keeps count of them. */
export function createStreams(deps: { hub: StreamHub; logger: Logger; now: () => Date }): Streams {
  const open = new Set<BoundedBody>();
  return {
    open(c, log, start) {
      if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders);
      const body = createBoundedBody({ write_timeout_ms: writeTimeoutMs });
      const outgoing = c.env?.outgoing;
      open.add(body);
      void body.when_closed.then((reason) => {
        open.delete(body);
        // Only cutting the socket frees what the kernel holds for a reader that does not read.
        if (reason === 'stalled') outgoing?.destroy();
      });
      // The server does not touch the body for a reader that left before the answer began.
      if (outgoing?.destroyed) body.close();
      else outgoing?.once('close', body.close);
      void (async () => {
        try {
          const { after, reset_frame } = start;
          await body.write(openingFrame(reset_frame === undefined ? after : null));
          if (reset_frame !== undefined) await body.write(reset_frame);
          await followLog({ ...deps, body, log, after });
        } catch (err) {
          deps.logger.warn({ err, stream: log.stream_id }, 'event stream cut');
        }
        body.close();
      })();
      return c.body(body.stream, 200, streamHeaders);
    },
    count: () => open.size,
    closeAll() {
      for (const body of open) body.close();
    },
  };
}
