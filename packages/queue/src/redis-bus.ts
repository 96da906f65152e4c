import { randomUUID } from 'node:crypto';
import type { Logger } from '@loom/shared/logger';
import type { Wake, WakeBus } from '@loom/shared/wake';
import { Redis } from 'ioredis';
import { createLocalListeners } from './local-listeners.ts';
import { createWakeBatch } from './wake-batch.ts';

interface RedisBusOptions {
  publisher: Redis;
  url: string;
  channel: string;
  logger: Logger;
}

/** Wake-ups over Redis pub/sub. This process's own listeners hear at once, without the round trip. */
export async function openRedisBus(options: RedisBusOptions): Promise<WakeBus> {
  const { publisher, channel, logger } = options;
  const origin = randomUUID();
  const local = createLocalListeners(logger);
  const subscriber = new Redis(options.url, { maxRetriesPerRequest: null });
  subscriber.on('error', (err) => logger.warn({ err }, 'redis subscriber'));
  subscriber.on('message', (_channel, text) => {
    const { from, wakes } = JSON.parse(text) as { from: string; wakes: Wake[] };
    if (from !== origin) wakes.forEach(local.tell);
  });
  await subscriber.subscribe(channel);
  const batch = createWakeBatch(async (wakes) => {
    try {
      await publisher.publish(channel, JSON.stringify({ from: origin, wakes }));
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
      subscriber.disconnect();
    },
  };
}
