import { z } from 'zod';

export const queueNames = ['turns', 'plans', 'subtasks', 'verifications', 'deliveries'] as const;
export type QueueName = (typeof queueNames)[number];
export const queueNameSchema = z.enum(queueNames);

export const workerRoles = ['planner', 'runner', 'verifier'] as const;
export type WorkerRole = (typeof workerRoles)[number];

export const serviceRoles = ['gateway', ...workerRoles] as const;
export type ServiceRole = (typeof serviceRoles)[number];

/** Which role serves which queue. */
export const queueRoles: Record<QueueName, WorkerRole> = {
  turns: 'runner',
  plans: 'planner',
  subtasks: 'runner',
  verifications: 'verifier',
  deliveries: 'runner',
};

/** A job says "look at this row", nothing else. */
export const jobPayloadSchema = z.object({
  unit_id: z.string().min(1),
  epoch: z.number().int().min(0),
});
export type JobPayload = z.infer<typeof jobPayloadSchema>;

/** What must be rung: a unit that waits, at the epoch it waits in. */
export interface Ring {
  queue: QueueName;
  /** Whose unit it is, so that nobody's thousand units keep another's single one waiting. */
  tenant_id: string;
  unit_id: string;
  epoch: number;
}
