import { z } from 'zod';

export const taskStatusSchema = z.enum([
  'queued',
  'planning',
  'ready',
  'running',
  'awaiting_confirmation',
  'paused',
  'completed',
  'failed',
  'cancelled',
]);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

export const verificationSchema = z.enum(['verified', 'partly_verified', 'unverified', 'failed']);
export type Verification = z.infer<typeof verificationSchema>;

export const subtaskStatusSchema = z.enum([
  'pending',
  'queued',
  'running',
  'verifying',
  'awaiting_approval',
  'completed',
  'failed',
  'skipped',
  'blocked',
]);
export type SubtaskStatus = z.infer<typeof subtaskStatusSchema>;

export const attemptStatusSchema = z.enum([
  'queued',
  'running',
  'verifying',
  'completed',
  'failed',
  'cancelled',
]);
export type AttemptStatus = z.infer<typeof attemptStatusSchema>;

export const turnStatusSchema = z.enum([
  'queued',
  'running',
  'awaiting_task',
  'awaiting_user',
  'awaiting_approval',
  'completed',
  'failed',
  'cancelled',
]);
export type TurnStatus = z.infer<typeof turnStatusSchema>;

export function isTerminalTask(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function isTerminalTurn(status: TurnStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** A subtask that holds a place under the task's parallel cap. */
export function isActiveSubtask(status: SubtaskStatus): boolean {
  return (
    status === 'queued' ||
    status === 'running' ||
    status === 'verifying' ||
    status === 'awaiting_approval'
  );
}

export function isTerminalSubtask(status: SubtaskStatus): boolean {
  return (
    status === 'completed' || status === 'failed' || status === 'skipped' || status === 'blocked'
  );
}
