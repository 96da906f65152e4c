import { readRunTool, targetCall } from '@loom/engine/tool-exposure/read-run-tool';
import type { JsonValue } from '@loom/shared/json';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';
import type { PendingCall } from '../pending-calls.ts';

// Read by hand, so that every mistake gets its own advice; this is what a model is shown of it.
const shown = {
  properties: {
    name: { type: 'string', description: 'Name of the tool, as list_tools shows it' },
    arguments: { type: 'object', description: 'The arguments of that tool' },
  },
  required: ['name', 'arguments'],
  additionalProperties: false,
};

const input = z
  .looseObject({})
  .superRefine((value, context) => {
    const request = readRunTool(value as JsonValue);
    if ('problem' in request) context.addIssue({ code: 'custom', message: request.problem });
  })
  .meta(shown);

/**
 * Offers every tool whose schema is not sent. A call of it is exchanged for the call it stands for
 * before anything is asked or done (`unwrapRunTool`), so only what cannot be read comes to its check.
 */
export const runToolTool: ToolDefinition<z.infer<typeof input>> = {
  name: 'run_tool',
  description:
    'Run any tool by its name, also one that is not shown here. Look up its arguments with list_tools first.',
  effect: 'effectful',
  timeout_ms: 1_000,
  input,
  unavailable: () => null,
  run: async () => ({ text: 'Call the tool itself by its name.', failure: 'failed' }),
};

/**
 * The call that a pending `run_tool` call stands for, with its id and its key: it is checked, gated,
 * metered and written down as that. One that cannot be read stays, and its check says why.
 */
export function unwrapRunTool(pending: PendingCall): PendingCall {
  const call = targetCall(pending.call);
  return call === pending.call ? pending : { ...pending, call };
}
