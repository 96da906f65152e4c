import type { JsonValue } from '@loom/shared/json';
import type { ToolContext, ToolDefinition } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { z } from 'zod';
import type { CallPlace } from '../call-place.ts';
import type { PendingCall } from '../pending-calls.ts';
import { runToolCalls, type ToolCallsOutcome, type ToolRecord } from '../run-tool-calls.ts';

const input = z.strictObject({ name: z.string() });

interface World {
  /** What happened, in order: begins and ends of tools, and commits. */
  log: string[];
  records: ToolRecord[];
  run(
    calls: PendingCall[],
    options?: Partial<Parameters<typeof runToolCalls>[0]>,
  ): Promise<ToolCallsOutcome>;
}

const nowhere: CallPlace = {
  reach: { tenant_id: 'default', workspace: null, read_roots: [], network: false },
  keepFor: () => ({
    keep: {
      before: async () => undefined,
      artifact: async () => 'af_1',
      readArtifact: async () => null,
    },
    artifacts: [],
  }),
};

/** Small tools that note when they begin and end; `read` waits until everybody who reads has begun. */
export function openToolWorld(reads = 1): World {
  const log: string[] = [];
  const records: ToolRecord[] = [];
  let begun = 0;
  let open: () => void = () => undefined;
  const allRead = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = (
    name: string,
    effect: ToolDefinition['effect'],
    run: (name: string, context: ToolContext) => Promise<void>,
  ): ToolDefinition<{ name: string }> => ({
    name,
    description: name,
    effect,
    timeout_ms: 5_000,
    input,
    unavailable: () => null,
    run: async (args, context) => {
      log.push(`${name} ${args.name} begins`);
      await run(args.name, context);
      log.push(`${name} ${args.name} ends`);
      const changes = [{ path: `${args.name}.md`, after: null }];
      return { text: `${args.name} by ${context.call_key}`, changes };
    },
  });
  const tools = createToolRegistry(
    [
      tool('read', 'read', async () => {
        begun += 1;
        if (begun >= reads) open();
        await allRead;
      }),
      tool('put', 'idempotent', async () => undefined),
      tool('send', 'effectful', async (name) => {
        if (name === 'broken') throw new Error('the line is dead');
      }),
      tool(
        'hang',
        'read',
        (_name, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      ),
    ] as ToolDefinition[],
    { max_output_chars: 1_000 },
  );
  return {
    log,
    records,
    run: (calls, options = {}) =>
      runToolCalls({
        calls,
        tools,
        place: nowhere,
        signal: new AbortController().signal,
        openIntents: new Set(),
        allowed: new Set(['read', 'put', 'send', 'hang']),
        gate: () => ({ kind: 'run', edited: null }),
        boundary: () => false,
        commit: async (record) => {
          const states = record.ledger.map(({ key, status }) => `${key}=${status}`);
          log.push(`commit ${[...states, `${record.messages.length} messages`].join(' ')}`);
          records.push(record);
        },
        ...options,
      }),
  };
}

/** A call with a key that follows from its id. */
export function call(id: string, name: string, args: JsonValue = { name: id }): PendingCall {
  return { call: { id, name, arguments: args }, key: `k/${id}` };
}
