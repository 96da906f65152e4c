import type { JobInfo, JobState, QueueAdmin } from '@loom/shared/queue-admin';
import { jobStates } from '@loom/shared/queue-admin';
import { type JobPayload, type QueueName, queueNames } from '@loom/shared/queues';
import type { Job } from 'bullmq';
import type { Ringer } from './ringer.ts';

/** The operator's view of the queues. */
export function createQueueAdmin(ringer: Ringer): QueueAdmin {
  return {
    queues: () =>
      Promise.all(
        queueNames.map(async (name) => {
          const queue = ringer.queue(name);
          const [paused, counts] = await Promise.all([
            queue.isPaused(),
            queue.getJobCounts(...jobStates),
          ]);
          const states = jobStates.map((state) => [state, counts[state] ?? 0] as const);
          return { name, paused, counts: Object.fromEntries(states) as Record<JobState, number> };
        }),
      ),
    jobs: async (name, state, offset, limit) => {
      // What waits is shown in the order it is served in, what is over the newest first.
      const ascending = state === 'prioritized';
      const jobs = await ringer.queue(name).getJobs([state], offset, offset + limit - 1, ascending);
      return jobs
        .filter((job) => job !== undefined)
        .map((job) => toJobInfo(name, state, job as Job));
    },
    job: async (name, id) => {
      const job = await ringer.queue(name).getJob(id);
      if (job === undefined) return null;
      return toJobInfo(name, await job.getState(), job as Job);
    },
    removeJob: async (name, id) => {
      await ringer.queue(name).remove(id);
    },
    pause: (name) => ringer.queue(name).pause(),
    resume: (name) => ringer.queue(name).resume(),
    dashboardQueues: () => queueNames.map((name) => ringer.queue(name)),
  };
}

function toJobInfo(queue: QueueName, state: string, job: Job<JobPayload>): JobInfo {
  return {
    id: job.id ?? '',
    queue,
    state,
    unit_id: job.data.unit_id,
    epoch: job.data.epoch,
    failed_reason: job.failedReason ?? null,
    created_at: new Date(job.timestamp).toISOString(),
    processed_at: job.processedOn ? new Date(job.processedOn).toISOString() : null,
    finished_at: job.finishedOn ? new Date(job.finishedOn).toISOString() : null,
  };
}
