import type { TurnBrief } from '@loom/db/load-turn';
import type { TurnApproval, TurnQuestion } from '@loom/db/turn-approvals';
import type { Wants } from '@loom/shared/budget';
import type { Config } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { ToolEffect, ToolRegistry } from '@loom/shared/tool';
import { type CallGate, createCallGate, type GateResult } from './call-gate.ts';
import { toolWants } from './call-wants.ts';
import { checkParkingCall } from './check-parking-call.ts';
import type { PendingCall } from './pending-calls.ts';
import { isParking } from './turn-tools.ts';

/** They change nothing but what the turn knows of itself, so nobody is asked. */
const bookkeeping = ['create_todo', 'complete_todo', 'record_decision'];

interface TurnGateOptions {
  brief: Pick<TurnBrief, 'approval_mode' | 'granted_tools'>;
  approvals: readonly TurnApproval[];
  on_timeout: Config['approval']['on_timeout'];
  tools: ToolRegistry;
  /** Calls that were begun before a crash: they are not made again, so nobody is asked about them. */
  openIntents: ReadonlySet<string>;
}

/** What stands between a turn's model and its deeds. */
export interface TurnGate {
  /** Says of a call with valid arguments whether it may run. */
  check: CallGate;
  /** What people must be asked about all of these calls and have not been asked yet. */
  questionsFor(calls: readonly PendingCall[]): TurnQuestion[];
  /** What the calls need that can run now: those before the first that waits for a person. */
  wantsFor(calls: readonly PendingCall[]): Wants;
  /** How many questions were open when the turn looked. */
  open: number;
}

/** The gate of a turn, from its session's mode and grants and from what people have said so far. */
export function createTurnGate(options: TurnGateOptions): TurnGate {
  const { brief, approvals, on_timeout, tools, openIntents } = options;
  const asked = new Set(approvals.map(({ call_key }) => call_key));
  const open = approvals.filter(({ status }) => status === 'pending');
  const isOpen = new Map(open.map((approval) => [approval.call_key, approval]));
  const decided = createCallGate({
    mode: brief.approval_mode,
    allowed_tools: [...brief.granted_tools, ...bookkeeping],
    on_timeout,
    approvals,
  });

  // A question that was put is waited for, also when the tool was freed in the meantime.
  const check: CallGate = (pending, effect) =>
    isOpen.has(pending.key)
      ? { kind: 'ask', reason: 'its answer has not come yet', always: false }
      : decided(pending, effect);

  /** Null for a call that is answered without being made: nobody need allow it. */
  const gated = (pending: PendingCall): GateResult | null => {
    if (openIntents.has(pending.key)) return null;
    const { call } = pending;
    if (isParking(call.name)) {
      return checkParkingCall(call).kind === 'delegate_task' ? check(pending, 'effectful') : null;
    }
    const effect: ToolEffect | null = tools.effect(call.name);
    if (effect === null || tools.check(call.name, call.arguments) !== null) return null;
    return check(pending, effect);
  };

  return {
    check,
    open: open.length,
    questionsFor: (calls) =>
      calls.flatMap((pending) => {
        const { key, call } = pending;
        const gate = gated(pending);
        if (gate?.kind !== 'ask' || asked.has(key)) return [];
        const { name: tool, arguments: args } = call;
        const question = { tool, arguments: args, reason: gate.reason };
        return [{ id: newId('apr'), call_key: key, ...question }];
      }),
    wantsFor: (calls) => {
      const gates = calls.map((pending) => ({ pending, gate: gated(pending) }));
      const first = gates.findIndex(({ gate }) => gate?.kind === 'ask');
      const ahead = first < 0 ? gates : gates.slice(0, first);
      const made = ahead.filter(({ gate }) => gate?.kind !== 'answer');
      return toolWants(
        made.map(({ pending }) => pending.call),
        tools,
      );
    },
  };
}
