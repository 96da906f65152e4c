import { randomUUID } from 'node:crypto';
import type { Logger } from '@loom/shared/logger';
import type { Wake, WakeBus } from '@loom/shared/wake';
import pg from 'pg';
import { createLocalListeners } from './local-listeners.ts';
import { splitWake } from './split-wake.ts';
import { createWakeBatch } from './wake-batch.ts';

interface PostgresBusOptions {
  pool: pg.Pool;
  url: string;
  logger: Logger;
}

const channel = 'loom_wake';
const reconnectMs = 500;

/** Wake-ups over LISTEN/NOTIFY. This process's own listeners hear at once, without the round trip. */
export async function openPostgresBus(options: PostgresBusOptions): Promise<WakeBus> {
  const { pool, logger } = options;
  const origin = randomUUID();
  const local = createLocalListeners(logger);
  const listener = createListener(options, (payload) => {
    const { from, wakes } = JSON.parse(payload) as { from: string; wakes: Wake[] };
    if (from !== origin) wakes.forEach(local.tell);
  });
  await listener.connect();
  const batch = createWakeBatch(async (wakes) => {
    const payloads = wakes
      .flatMap(splitWake)
      .map((part) => JSON.stringify({ from: origin, wakes: [part] }));
    try {
      await pool.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
        channel,
        payloads,
      ]);
    } catch (err) {
      logger.warn({ err }, 'wake-up not published');
    }
  });
  return {
    publish: (wake) => {
      local.tell(wake);
      batch.add(wake);
    },
    subscribe: local.subscribe,
    close: async () => {
      await batch.idle();
      await listener.close();
    },
  };
}

/** One connection that listens, and is replaced when it breaks. */
function createListener(options: PostgresBusOptions, onPayload: (payload: string) => void) {
  let client: pg.Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.url,
      keepAlive: true,
      application_name: 'loom-bus',
    });
    next.on('error', (err) => {
      options.logger.warn({ err }, 'wake-up connection lost');
      if (client === next) reconnectLater();
    });
    next.on('notification', ({ payload }) => {
      if (payload !== undefined) onPayload(payload);
    });
    await next.connect();
    await next.query(`LISTEN ${channel}`);
    client = next;
  };

  const reconnectLater = (): void => {
    client = null;
    if (closed) return;
    retry = setTimeout(() => connect().catch(reconnectLater), reconnectMs);
  };

  return {
    connect,
    close: async (): Promise<void> => {
      closed = true;
      clearTimeout(retry);
      const last = client;
      client = null;
      await last?.end();
    },
  };
}
