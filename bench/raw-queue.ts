import type { QueueBackend } from '@loom/queue/queue-backend';
import type { QueueName } from '@loom/shared/queues';

/** No queue of the product: nobody else serves it, so that its jobs meet no other work. */
const queueName = 'bench' as QueueName;
const chunk = 250;
const warmUpMs = 1_000;
const measuredMs = 4_000;

/** Jobs a second that BullMQ itself does on this backend: jobs added in bulk, handlers that do nothing. */
export async function measureRawQueue(backend: QueueBackend, concurrency: number): Promise<number> {
  const queue = backend.openQueue(queueName);
  let added = 0;
  let done = 0;
  const worker = backend.openWorker(queueName, async () => {}, { concurrency, lock_ms: 15_000 });
  worker.on('completed', () => {
    done += 1;
  });

  const runFor = async (ms: number): Promise<number> => {
    const [from, began] = [done, performance.now()];
    while (performance.now() - began < ms) {
      // Always enough to do, never so much that the queue itself becomes slow.
      if (added - done < 4 * chunk) {
        added += chunk;
        await queue.addBulk(Array.from({ length: chunk }, (_, index) => job(added + index)));
      } else {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    return ((done - from) * 1_000) / (performance.now() - began);
  };
  await runFor(warmUpMs);
  const perSecond = await runFor(measuredMs);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return perSecond;
}

function job(number: number) {
  return { name: queueName, data: { unit_id: `unit-${number}`, epoch: 0 } };
}
