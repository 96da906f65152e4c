import { storableString } from '@loom/shared/text';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';

const input = z.strictObject({
  summary: storableString({ min: 1, max: 500 })
    .refine((summary) => summary.trim() !== '', 'must say what was found')
    .describe('What was found, in one sentence that makes sense on its own'),
  detail: storableString({ max: 8_000 })
    .optional()
    .describe('Where it was seen and what follows from it'),
});

/**
 * Lets an executor say that it found something the plan did not know of. The ledger keeps the
 * call, and whoever ends the attempt reads it from there: nothing outside changes, so it is a read.
 */
export const recordDiscoveryTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'record_discovery',
  description:
    'Note something you found out that matters beyond your subtask: work the plan lacks, or a wrong assumption in it. The plan may be changed because of it. Not for what you were asked to do anyway.',
  effect: 'read',
  timeout_ms: 1_000,
  input,
  unavailable: () => null,
  run: async () => ({ text: 'Noted.' }),
};
