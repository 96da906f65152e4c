import type { QueueName } from './queues.ts';

export const jobStates = [
  'waiting',
  'prioritized',
  'active',
  'delayed',
  'completed',
  'failed',
] as const;
export type JobState = (typeof jobStates)[number];

export interface QueueInfo {
  name: QueueName;
  paused: boolean;
  counts: Record<JobState, number>;
}

export interface JobInfo {
  id: string;
  queue: QueueName;
  state: string;
  unit_id: string;
  epoch: number;
  failed_reason: string | null;
  created_at: string;
  processed_at: string | null;
  finished_at: string | null;
}

/** What an operator can see and do with the queues. */
export interface QueueAdmin {
  queues(): Promise<QueueInfo[]>;
  jobs(queue: QueueName, state: JobState, offset: number, limit: number): Promise<JobInfo[]>;
  job(queue: QueueName, id: string): Promise<JobInfo | null>;
  /** Removes a job that was dealt with, so that it is not shown as failed any more. */
  removeJob(queue: QueueName, id: string): Promise<void>;
  pause(queue: QueueName): Promise<void>;
  resume(queue: QueueName): Promise<void>;
  /** The queue library's own objects, for the dashboard that ships with it. */
  dashboardQueues(): unknown[];
}
