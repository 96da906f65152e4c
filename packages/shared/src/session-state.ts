import { z } from 'zod';

const noted = z.object({ text: z.string(), number: z.number().int() });
const failure = z.object({ tool: z.string(), target: z.string(), error: z.string() });

/** What a conversation has come to, taken from its messages without a model. */
export const sessionStateSchema = z.object({
  /** The last message that it includes; everything after it is still to be taken in. */
  upto: z.number().int().default(0),
  /** The first line of the user's last message. */
  focus: z.string().default(''),
  /** What the user said must always or never be done: part of every window. */
  constraints: z.array(noted).default([]),
  decisions: z.array(noted).default([]),
  files: z
    .array(z.object({ path: z.string(), action: z.string(), number: z.number().int() }))
    .default([]),
  errors_resolved: z.array(failure.extend({ number: z.number().int() })).default([]),
  /** Failures that nothing has resolved yet, and calls that have no result yet: needed to go on. */
  open_errors: z.array(failure).default([]),
  open_calls: z
    .array(z.object({ id: z.string(), tool: z.string(), target: z.string(), decision: z.string() }))
    .default([]),
});
export type SessionState = z.infer<typeof sessionStateSchema>;

/** The state of a conversation in which nothing was said. */
export const emptySessionState: SessionState = sessionStateSchema.parse({});
