import type { EarlierEffect } from '@loom/db/earlier-effects';
import { nothingSpent, type Spent } from '@loom/shared/budget';
import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import { cutText, firstLine } from '@loom/shared/text';
import type { ToolEffect, ToolResult } from '@loom/shared/tool';
import type { LedgerEntry } from '@loom/shared/work';
import type { GateResult } from './call-gate.ts';
import type { KeptArtifact } from './call-place.ts';
import type { PendingCall } from './pending-calls.ts';

/** A call with the arguments it runs with. */
export interface CallToRun extends PendingCall {
  effect: ToolEffect;
  /** A person changed the arguments. */
  edited: boolean;
}

/** What calls leave behind, to be committed before anything else happens. */
export interface CallRecord {
  messages: ChatMessage[];
  ledger: LedgerEntry[];
  events: NewEvent[];
  spent: Spent;
  /** Tools that really ran. */
  actions: string[];
}

/** What came of a call, and what it kept. */
export interface CallOutcome {
  result: ToolResult;
  artifacts: readonly KeptArtifact[];
}

const maxEditedShown = 2_000;
const inDoubtText =
  'It is not known whether this call took effect: the process ended while it ran. Look at the state of things before you decide to repeat it.';

/** That an effectful call is about to happen. */
export function intentRecord(call: CallToRun): CallRecord {
  return {
    messages: [],
    ledger: [ledgerEntry(call, 'intent', null)],
    events: [callEvent(call)],
    spent: nothingSpent,
    actions: [],
  };
}

/** A call that ran, and what came of it. */
export function callRecord(
  call: CallToRun,
  { result, artifacts }: CallOutcome,
  withCallEvent: boolean,
): CallRecord {
  const kept = artifacts.map((artifact): NewEvent => {
    return { type: 'artifact.stored', data: { ...nameOf(call), ...artifact } };
  });
  return {
    messages: [
      answer(call, call.edited ? `${editedLine(call)}\n${result.text}` : result.text, !result.ok),
    ],
    ledger: [ledgerEntry(call, result.ok ? 'done' : 'failed', result)],
    events: [...(withCallEvent ? [callEvent(call)] : []), ...kept, outcomeOf(call, result)],
    spent: oneCall(call),
    actions: [call.call.name],
  };
}

/** A call that could not be made. Nothing was done, so the ledger of deeds has nothing to say. */
export function refusedRecord(call: CallToRun, refusal: ToolResult): CallRecord {
  return {
    messages: [answer(call, refusal.text, true)],
    ledger: [],
    events: [callEvent(call), outcomeOf(call, refusal)],
    spent: { ...nothingSpent, tool_calls: 1 },
    actions: [],
  };
}

/** A call that a person refused, or that nobody allowed in time: it was not made, and costs nothing. */
export function answeredRecord(
  pending: PendingCall,
  { code, text }: Extract<GateResult, { kind: 'answer' }>,
): CallRecord {
  const data = { ...nameOf(pending), files_changed: [], code, text: firstLine(text, 300) };
  return {
    messages: [answer(pending, text, true)],
    ledger: [],
    events: [{ type: 'tool.error', data }],
    spent: nothingSpent,
    actions: [],
  };
}

/** A call that was begun before a crash, and of which no end is known. */
export function inDoubtRecord(call: CallToRun): CallRecord {
  return {
    messages: [answer(call, inDoubtText)],
    ledger: [ledgerEntry(call, 'in_doubt', null)],
    events: [{ type: 'tool.in_doubt', data: nameOf(call) }],
    spent: oneCall(call),
    actions: [call.call.name],
  };
}

/** A call that an earlier attempt has made: its result is given again, and nothing is done twice. */
export function repeatedRecord(call: CallToRun, earlier: EarlierEffect): CallRecord {
  const { key, status, result } = earlier;
  const text =
    status === 'done'
      ? `An earlier attempt made this very call, so it was not made again. Its result was:\n${result ?? ''}\nMake the call once more only if it is meant to happen twice.`
      : inDoubtText;
  return {
    messages: [answer(call, text)],
    ledger: [],
    events: [{ type: 'tool.deduplicated', data: { ...nameOf(call), earlier_key: key, status } }],
    spent: { ...nothingSpent, tool_calls: 1 },
    actions: [],
  };
}

/** What a call that still runs has printed. */
export function progressRecord(call: CallToRun, text: string): CallRecord {
  const data = { ...nameOf(call), text };
  return {
    messages: [],
    ledger: [],
    events: [{ type: 'tool.progress', data }],
    spent: nothingSpent,
    actions: [],
  };
}

/** What several calls leave behind, as one. */
export function sumOfRecords(records: CallRecord[]): CallRecord {
  const count = (what: 'tool_calls' | 'mutating_tool_calls') =>
    records.reduce((sum, { spent }) => sum + spent[what], 0);
  return {
    messages: records.flatMap(({ messages }) => messages),
    ledger: records.flatMap(({ ledger }) => ledger),
    events: records.flatMap(({ events }) => events),
    spent: {
      ...nothingSpent,
      tool_calls: count('tool_calls'),
      mutating_tool_calls: count('mutating_tool_calls'),
    },
    actions: records.flatMap(({ actions }) => actions),
  };
}

function oneCall({ effect }: CallToRun): Spent {
  return { ...nothingSpent, tool_calls: 1, mutating_tool_calls: effect === 'read' ? 0 : 1 };
}

function answer({ call }: PendingCall, content: string, failed = false): ChatMessage {
  const { id: tool_call_id, name: tool_name } = call;
  return { role: 'tool', content, tool_call_id, tool_name, ...(failed ? { failed } : {}) };
}

function editedLine({ call }: PendingCall): string {
  const shown = cutText(JSON.stringify(call.arguments), maxEditedShown);
  return `The user changed the arguments of this call. It was made with: ${shown}`;
}

function nameOf({ call, key }: PendingCall) {
  return { tool: call.name, call_id: call.id, key };
}

function callEvent({ edited, ...pending }: CallToRun): NewEvent {
  const shown = firstLine(JSON.stringify(pending.call.arguments), 500);
  const data = { ...nameOf(pending), arguments: shown, ...(edited ? { edited } : {}) };
  return { type: 'tool.call', data };
}

function outcomeOf(pending: PendingCall, result: ToolResult): NewEvent {
  const text = firstLine(result.text, 300);
  const data = {
    ...nameOf(pending),
    files_changed: (result.changes ?? []).map(({ path }) => path),
  };
  return result.ok
    ? { type: 'tool.result', data: { ...data, text } }
    : { type: 'tool.error', data: { ...data, code: result.error_code, text } };
}

function ledgerEntry(
  { call, key, effect }: CallToRun,
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
    exit_code: result?.exit_code ?? null,
    changes: result?.changes ?? [],
  };
}
