import { storableString } from '@loom/shared/text';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';

const input = z.strictObject({
  decision: storableString({ min: 1, max: 500 })
    .refine((decision) => decision.trim() !== '', 'must say what was decided')
    .describe('What was decided and why, in one or two sentences that make sense on their own'),
});

/** Lets a model note a decision: the call itself is the note, and the session's state is made from it. */
export const recordDecisionTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'record_decision',
  description:
    'Note a decision that was made in this conversation, so that it stays in view however long the conversation gets. For what the user and you settled, not for what you merely did.',
  effect: 'idempotent',
  timeout_ms: 1_000,
  input,
  unavailable: () => null,
  run: async () => ({ text: 'Noted.' }),
};
