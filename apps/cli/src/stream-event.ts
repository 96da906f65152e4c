import { z } from 'zod';

/** An event as it comes off a stream, durable or live. Unknown types pass: more may be added. */
export const streamEventSchema = z.looseObject({
  type: z.string(),
  seq: z.number().optional(),
  session_id: z.string().nullish(),
  turn_id: z.string().nullish(),
  task_id: z.string().nullish(),
  subtask_id: z.string().nullish(),
  attempt: z.number().nullish(),
  data: z.record(z.string(), z.unknown()).default({}),
});
export type StreamEvent = z.infer<typeof streamEventSchema>;

/** A text of the event's data, or '' where there is none. */
export function textOf(event: StreamEvent, key: string): string {
  const value = event.data[key];
  return typeof value === 'string' ? value : '';
}

/** A number of the event's data, or null where there is none. */
export function numberOf(event: StreamEvent, key: string): number | null {
  const value = event.data[key];
  return typeof value === 'number' ? value : null;
}
