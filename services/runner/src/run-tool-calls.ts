import type { EarlierEffect } from '@loom/db/earlier-effects';
import { faultPoint } from '@loom/shared/fault-point';
import type { ToolEffect, ToolRegistry, ToolResult } from '@loom/shared/tool';
import type { CallGate } from './call-gate.ts';
import type { CallPlace } from './call-place.ts';
import { createProgress } from './call-progress.ts';
import {
  answeredRecord,
  type CallOutcome,
  type CallRecord,
  type CallToRun,
  callRecord,
  inDoubtRecord,
  intentRecord,
  progressRecord,
  refusedRecord,
  repeatedRecord,
  sumOfRecords,
} from './call-records.ts';
import type { PendingCall } from './pending-calls.ts';

/** What a step of a batch leaves behind. */
export interface ToolRecord extends CallRecord {
  /** Every call of the batch is answered with it: the model is next. */
  last: boolean;
}

/** How a batch ended: all answered, cut at a boundary, or at a call that a person must allow first. */
export type ToolCallsOutcome =
  | { kind: 'done' }
  | { kind: 'stopped' }
  | { kind: 'ask'; pending: PendingCall; reason: string; always: boolean };

interface ToolCallsOptions {
  calls: PendingCall[];
  tools: ToolRegistry;
  /** Where the calls work, and what they may reach and keep. */
  place: CallPlace;
  /** Ends a running tool. */
  signal: AbortSignal;
  /** Keys of calls that were begun before a crash and of which no end is known. */
  openIntents: ReadonlySet<string>;
  /** Tools this unit may call; others are answered as unknown. */
  allowed: ReadonlySet<string>;
  /** Says of each call with valid arguments whether it may run. */
  gate: CallGate;
  /** A sentence why a call with valid arguments is not made, and what to do instead; null lets it pass. */
  refuse?(pending: PendingCall): string | null;
  /** What an earlier attempt did with the very same call, where repeating it would be a second effect. */
  earlierEffect?(call: CallToRun): Promise<EarlierEffect | null>;
  commit(record: ToolRecord): Promise<void>;
  /** Brings up to date what `gate` and `place` go by, before each call or group of reads. */
  lookAgain?(): Promise<void>;
  /** A boundary between two calls: throws or returns true to stop here. */
  boundary(): boolean;
}

/** What is to be done with one call. */
type Step =
  | { kind: 'run'; call: CallToRun }
  | { kind: 'record'; record: CallRecord }
  | Extract<ToolCallsOutcome, { kind: 'ask' }>;

/** Runs calls in order, neighbouring reads at once; each result is committed before the next call. */
export async function runToolCalls(options: ToolCallsOptions): Promise<ToolCallsOutcome> {
  const groups = groupReads(options.calls, options.tools);
  for (const [index, group] of groups.entries()) {
    if (options.boundary()) return { kind: 'stopped' };
    await options.lookAgain?.();
    const isLast = index === groups.length - 1;
    const [first] = group;
    const outcome =
      group.length === 1 && first !== undefined
        ? await runOne(first, options, isLast)
        : await runReads(group, options, isLast);
    if (outcome.kind !== 'done') return outcome;
  }
  return { kind: 'done' };
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

/** Reads beside one that must be asked about are done and kept; the question comes after them. */
async function runReads(
  group: PendingCall[],
  options: ToolCallsOptions,
  isLast: boolean,
): Promise<ToolCallsOutcome> {
  const steps = group.map((pending) => nextStep(pending, options));
  const question = steps.find((step) => step.kind === 'ask');
  const records = await Promise.all(
    steps.map(async (step) => {
      if (step.kind === 'ask') return [];
      if (step.kind === 'record') return [step.record];
      return [callRecord(step.call, await perform(step.call, options), true)];
    }),
  );
  if (isCutShort(options)) return { kind: 'stopped' };
  const record = sumOfRecords(records.flat());
  if (record.messages.length > 0) {
    await options.commit({ ...record, last: isLast && question === undefined });
  }
  return question ?? { kind: 'done' };
}

async function runOne(
  pending: PendingCall,
  options: ToolCallsOptions,
  last: boolean,
): Promise<ToolCallsOutcome> {
  const step = nextStep(pending, options);
  if (step.kind === 'ask') return step;
  if (step.kind === 'record') {
    await options.commit({ ...step.record, last });
    return { kind: 'done' };
  }
  const { call } = step;
  const earlier = options.tools.once(call.call.name) ? await options.earlierEffect?.(call) : null;
  if (earlier) {
    await options.commit({ ...repeatedRecord(call, earlier), last });
    return { kind: 'done' };
  }
  if (call.effect !== 'effectful') {
    const result = await perform(call, options);
    faultPoint('tool.after');
    if (isCutShort(options)) return { kind: 'stopped' };
    await options.commit({ ...callRecord(call, result, true), last });
    return { kind: 'done' };
  }
  // Written down before it happens: after a crash in between, it is in doubt and not repeated.
  await options.commit({ ...intentRecord(call), last: false });
  faultPoint('tool.before');
  const result = await perform(call, options);
  faultPoint('tool.after');
  await options.commit({ ...callRecord(call, result, false), last });
  return { kind: 'done' };
}

function nextStep(pending: PendingCall, options: ToolCallsOptions): Step {
  const effect = options.tools.effect(pending.call.name) ?? 'read';
  if (options.openIntents.has(pending.key)) {
    return { kind: 'record', record: inDoubtRecord({ ...pending, effect, edited: false }) };
  }
  const refusal = refuse(pending, options);
  if (refusal !== null) {
    return {
      kind: 'record',
      record: refusedRecord({ ...pending, effect, edited: false }, refusal),
    };
  }
  const gate = options.gate(pending, effect);
  if (gate.kind === 'ask') return { ...gate, pending };
  if (gate.kind === 'answer') {
    return { kind: 'record', record: answeredRecord(pending, gate) };
  }
  return gate.edited === null
    ? { kind: 'run', call: { ...pending, effect, edited: false } }
    : editedStep(pending, effect, gate.edited, options);
}

/** A person's arguments are checked like a model's: what they allowed must be what runs. */
function editedStep(
  { call, key }: PendingCall,
  effect: ToolEffect,
  edited: PendingCall['call']['arguments'],
  options: ToolCallsOptions,
): Step {
  const toRun = { call: { ...call, arguments: edited }, key, effect, edited: true };
  const problem = options.tools.check(call.name, edited);
  if (problem === null) return { kind: 'run', call: toRun };
  const text = `The user changed the arguments of this call to ones that cannot be used, so it was not made. ${problem.text}`;
  return { kind: 'record', record: refusedRecord(toRun, { ...problem, text }) };
}

function refuse(pending: PendingCall, options: ToolCallsOptions): ToolResult | null {
  const { call } = pending;
  const { tools, allowed } = options;
  if (allowed.has(call.name)) {
    const problem = tools.check(call.name, call.arguments);
    const text = problem === null ? (options.refuse?.(pending) ?? null) : null;
    return text === null ? problem : { ok: false, text, error_code: 'invalid_arguments' };
  }
  const names = [...allowed].sort().join(', ');
  const text = `There is no tool "${call.name}" here. Use one of: ${names}.`;
  return { ok: false, text, error_code: 'unknown_tool' };
}

/** A tool that was told to end says nothing about the call, which can run again elsewhere: nothing is kept. */
function isCutShort({ signal, boundary }: ToolCallsOptions): boolean {
  return signal.aborted && boundary();
}

async function perform(call: CallToRun, options: ToolCallsOptions): Promise<CallOutcome> {
  const { tools, place, signal } = options;
  const progress = createProgress((text) =>
    options.commit({ ...progressRecord(call, text), last: false }),
  );
  const { keep, artifacts } = place.keepFor(call);
  const { name, arguments: args } = call.call;
  try {
    const result = await tools.run(name, args, {
      ...place.reach,
      signal,
      call_key: call.key,
      keep,
      progress: progress.add,
    });
    return { result, artifacts };
  } finally {
    await progress.end();
  }
}
