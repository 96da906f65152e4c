import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import { faultPoint } from '@loom/shared/fault-point';
import { firstLine } from '@loom/shared/text';
import type { ToolEffect, ToolRegistry, ToolResult } from '@loom/shared/tool';
import type { LedgerEntry } from '@loom/shared/work';
import type { PendingCall } from './pending-calls.ts';

/** What a tool call leaves behind, to be committed before anything else happens. */
export interface ToolRecord {
  messages: ChatMessage[];
  ledger: LedgerEntry[];
  events: NewEvent[];
  tool_calls: number;
}

interface ToolCallsOptions {
  calls: PendingCall[];
  tools: ToolRegistry;
  workspace: string | null;
  /** Ends a running tool. */
  signal: AbortSignal;
  /** Keys of calls that were begun before a crash and of which no end is known. */
  openIntents: ReadonlySet<string>;
  /** Tools this unit may call; others are answered as unknown. */
  allowed: ReadonlySet<string>;
  commit(record: ToolRecord): Promise<void>;
  /** A boundary between two calls: throws or returns true to stop here. */
  boundary(): boolean;
}

const inDoubtText =
  'It is not known whether this call took effect: the process ended while it ran. Look at the state of things before you decide to repeat it.';

/** Runs calls in order, neighbouring reads at once; each result is committed before the next call. */
export async function runToolCalls(options: ToolCallsOptions): Promise<void> {
  for (const group of groupReads(options.calls, options.tools)) {
    if (options.boundary()) return;
    const [first] = group;
    if (group.length === 1 && first !== undefined) await runOne(first, options);
    else await runReads(group, options);
  }
}

function groupReads(calls: PendingCall[], tools: ToolRegistry): PendingCall[][] {
  const groups: PendingCall[][] = [];
  let lastWasRead = false;
  for (const pending of calls) {
    const isRead = tools.effect(pending.call.name) === 'read';
    if (isRead && lastWasRead) groups.at(-1)?.push(pending);
    else groups.push([pending]);
    lastWasRead = isRead;
  }
  return groups;
}

async function runReads(group: PendingCall[], options: ToolCallsOptions): Promise<void> {
  const records = await Promise.all(
    group.map(async (pending) => {
      const refusal = refuse(pending, options);
      if (refusal !== null) return refusalRecord(pending, 'read', refusal);
      return toRecord(pending, 'read', await perform(pending, options), true);
    }),
  );
  if (isCutShort(options)) return;
  await options.commit({
    messages: records.flatMap(({ messages }) => messages),
    ledger: records.flatMap(({ ledger }) => ledger),
    events: records.flatMap(({ events }) => events),
    tool_calls: records.length,
  });
}

async function runOne(pending: PendingCall, options: ToolCallsOptions): Promise<void> {
  const effect = options.tools.effect(pending.call.name) ?? 'read';
  if (options.openIntents.has(pending.key)) {
    await options.commit(inDoubtRecord(pending, effect));
    return;
  }
  const refusal = refuse(pending, options);
  if (refusal !== null) {
    await options.commit(refusalRecord(pending, effect, refusal));
    return;
  }
  if (effect !== 'effectful') {
    const result = await perform(pending, options);
    faultPoint('tool.after');
    if (isCutShort(options)) return;
    await options.commit(toRecord(pending, effect, result, true));
    return;
  }
  // Written down before it happens: after a crash in between, it is in doubt and not repeated.
  const intent = ledgerEntry(pending, effect, 'intent', null);
  await options.commit({
    messages: [],
    ledger: [intent],
    events: [callEvent(pending)],
    tool_calls: 0,
  });
  faultPoint('tool.before');
  const result = await perform(pending, options);
  faultPoint('tool.after');
  await options.commit(toRecord(pending, effect, result, false));
}

function refuse({ call }: PendingCall, { tools, allowed }: ToolCallsOptions): ToolResult | null {
  if (allowed.has(call.name)) return tools.check(call.name, call.arguments);
  const names = [...allowed].sort().join(', ');
  const text = `There is no tool "${call.name}" here. Use one of: ${names}.`;
  return { ok: false, text, error_code: 'unknown_tool' };
}

/** A tool that was told to end says nothing about the call, which can run again elsewhere: nothing is kept. */
function isCutShort({ signal, boundary }: ToolCallsOptions): boolean {
  return signal.aborted && boundary();
}

async function perform(pending: PendingCall, options: ToolCallsOptions): Promise<ToolResult> {
  const { call, key } = pending;
  return options.tools.run(call.name, call.arguments, {
    workspace: options.workspace,
    signal: options.signal,
    call_key: key,
  });
}

function callEvent({ call, key }: PendingCall): NewEvent {
  const shown = firstLine(JSON.stringify(call.arguments), 500);
  return { type: 'tool.call', data: { tool: call.name, call_id: call.id, key, arguments: shown } };
}

function toRecord(
  pending: PendingCall,
  effect: ToolEffect,
  result: ToolResult,
  withCallEvent: boolean,
): ToolRecord {
  const { call, key } = pending;
  const files_changed = result.ok ? result.files_changed : [];
  const data = { tool: call.name, call_id: call.id, key, files_changed };
  const outcome: NewEvent = result.ok
    ? { type: 'tool.result', data: { ...data, text: firstLine(result.text, 300) } }
    : {
        type: 'tool.error',
        data: { ...data, code: result.error_code, text: firstLine(result.text, 300) },
      };
  return {
    messages: [{ role: 'tool', content: result.text, tool_call_id: call.id, tool_name: call.name }],
    ledger: [ledgerEntry(pending, effect, result.ok ? 'done' : 'failed', result)],
    events: [...(withCallEvent ? [callEvent(pending)] : []), outcome],
    tool_calls: 1,
  };
}

/** Nothing was done, so the ledger of deeds has nothing to say. */
function refusalRecord(pending: PendingCall, effect: ToolEffect, refusal: ToolResult): ToolRecord {
  return { ...toRecord(pending, effect, refusal, true), ledger: [] };
}

function inDoubtRecord(pending: PendingCall, effect: ToolEffect): ToolRecord {
  const { call, key } = pending;
  return {
    messages: [{ role: 'tool', content: inDoubtText, tool_call_id: call.id, tool_name: call.name }],
    ledger: [ledgerEntry(pending, effect, 'in_doubt', null)],
    events: [{ type: 'tool.in_doubt', data: { tool: call.name, call_id: call.id, key } }],
    tool_calls: 1,
  };
}

function ledgerEntry(
  { call, key }: PendingCall,
  effect: ToolEffect,
  status: LedgerEntry['status'],
  result: ToolResult | null,
): LedgerEntry {
  return {
    key,
    tool: call.name,
    effect,
    arguments: call.arguments ?? {},
    status,
    result: result?.text ?? null,
    exit_code: (result?.ok === true ? result.exit_code : undefined) ?? null,
    files_changed: result?.ok === true ? result.files_changed : [],
  };
}
