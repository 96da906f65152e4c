import { z } from 'zod';

/** Every event type of the durable logs. Adding one touches this list alone. */
export const eventTypes = [
  'session.start',
  'session.end',
  'session.error',
  'turn.queued',
  'turn.started',
  'turn.awaiting_task',
  'turn.awaiting_user',
  'turn.awaiting_approval',
  'turn.parked',
  'turn.steered',
  'turn.completed',
  'turn.failed',
  'turn.cancelled',
  'turn.recovered',
  'message.appended',
  'task.queued',
  'task.planning',
  'task.plan_ready',
  'task.plan_degraded',
  'task.plan_rejected',
  'task.replanning',
  'task.running',
  'task.progress',
  'task.paused',
  'task.resumed',
  'task.steered',
  'task.steer_acknowledged',
  'task.stalled',
  'task.confirmation_required',
  'task.confirmation_received',
  'task.budget_exhausted',
  'task.budget_raised',
  'task.retried',
  'task.cancel_requested',
  'task.cancel_ack',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'subtask.queued',
  'subtask.started',
  'subtask.verifying',
  'subtask.completed',
  'subtask.failed',
  'subtask.retrying',
  'subtask.skipped',
  'subtask.blocked',
  'subtask.starved',
  'subtask.paused',
  'subtask.resumed',
  'subtask.outcome_stale',
  'tool.call',
  'tool.progress',
  'tool.result',
  'tool.error',
  'tool.deduplicated',
  'tool.in_doubt',
  'model.call',
  'model.retry',
  'model.parked',
  'verification.started',
  'verification.passed',
  'verification.failed',
  'verification.retrying',
  'verification.contradicted',
  'remediation.queued',
  'remediation.attempted',
  'remediation.resolved',
  'remediation.failed',
  'remediation.expired',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'artifact.stored',
  'files.reverted',
  'context.compacted',
  'completion.missing',
  'learning.recorded',
  'run.recovered',
] as const;
export const eventTypeSchema = z.enum(eventTypes);
export type EventType = z.infer<typeof eventTypeSchema>;

export const terminalTaskEvents: readonly EventType[] = [
  'task.completed',
  'task.failed',
  'task.cancelled',
];

/** An event as it stands in a log: `seq` is 1..n within its stream. */
export const eventSchema = z.object({
  seq: z.number().int(),
  type: eventTypeSchema,
  at: z.string(),
  session_id: z.string().optional(),
  turn_id: z.string().optional(),
  task_id: z.string().optional(),
  subtask_id: z.string().optional(),
  attempt: z.number().int().optional(),
  data: z.record(z.string(), z.json()),
});
export type LoggedEvent = z.infer<typeof eventSchema>;

/** An event before its stream gave it a number. */
export interface NewEvent {
  type: EventType;
  subtask_id?: string;
  attempt?: number;
  data: Record<string, unknown>;
}

/** A piece of text a model is writing right now. `offset` counts UTF-16 units before it. */
export const liveMessageSchema = z.object({
  kind: z.enum(['delta', 'snapshot']),
  session_id: z.string(),
  turn_id: z.string(),
  /** Grows with every model call of the turn; a smaller one is an abandoned try. */
  call: z.number().int(),
  offset: z.number().int(),
  text: z.string(),
});
export type LiveMessage = z.infer<typeof liveMessageSchema>;
