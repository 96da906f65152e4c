import type { Logger } from '@loom/shared/logger';
import { type JobPayload, jobPayloadSchema, type QueueName } from '@loom/shared/queues';
import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import type { QueueBackend } from './queue-backend.ts';

/** What became of a job. `dead` shows it as failed to operators; anything else is done. */
export type JobOutcome = { kind: 'handled' } | { kind: 'dead'; reason: string };

interface ConsumeOptions {
  backend: QueueBackend;
  queue: QueueName;
  concurrency: number;
  lock_ms: number;
  logger: Logger;
  /** `signal` aborts when the job's lock is lost: another worker may have the job by now. */
  handle(payload: JobPayload, signal: AbortSignal): Promise<JobOutcome>;
}

const retryDelayMs = 1_000;

export interface Consumer {
  /** Stops taking jobs; resolves at once, jobs under way go on. */
  pause(): Promise<void>;
  /** Waits for jobs under way, then lets go of the connection. */
  close(): Promise<void>;
}

/** Takes jobs off a queue. The wrapper knows locks and outcomes; what a job means is the handler's. */
export function consumeQueue(options: ConsumeOptions): Consumer {
  const { queue, logger, lock_ms } = options;
  const renewedAt = new Map<string, number>();

  // The signal exists only for processors that declare three parameters.
  const process = async (job: Job<JobPayload>, token?: string, signal?: AbortSignal) => {
    const id = job.id ?? '';
    const payload = jobPayloadSchema.safeParse(job.data);
    if (!payload.success) throw new UnrecoverableError('the job does not name a unit of work');
    renewedAt.set(id, Date.now());
    try {
      const outcome = await options.handle(payload.data, signal ?? new AbortController().signal);
      if (outcome.kind === 'dead') throw new UnrecoverableError(outcome.reason);
    } catch (error) {
      if (error instanceof UnrecoverableError) throw error;
      // The unit was not even claimed, so it still waits. A job that ended here would keep its id
      // taken, and ringing again would do nothing: it comes back by itself instead.
      logger.error({ err: error, queue, job: id }, 'a job handler failed; it will be tried again');
      await job.moveToDelayed(Date.now() + retryDelayMs, token);
      throw new DelayedError();
    } finally {
      renewedAt.delete(id);
    }
  };

  const worker = options.backend.openWorker(queue, process, {
    concurrency: options.concurrency,
    lock_ms,
  });
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id, 'the lock was lost');
  });
  worker.on('locksRenewed', ({ jobIds }) => {
    for (const id of jobIds) if (renewedAt.has(id)) renewedAt.set(id, Date.now());
  });
  // While the queue's server is frozen no renewal fails: nothing answers at all. Age tells.
  const watch = setInterval(() => {
    for (const [id, at] of renewedAt) {
      if (Date.now() - at > lock_ms) worker.cancelJob(id, 'the lock could not be renewed in time');
    }
  }, lock_ms / 4);
  watch.unref();

  return {
    pause: () => worker.pause(true),
    close: async () => {
      clearInterval(watch);
      await worker.close();
    },
  };
}
