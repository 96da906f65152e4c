import type { StoredApproval } from '@loom/db/stored-approval';
import { gateCall } from '@loom/engine/approval-gate';
import type { ApprovalMode } from '@loom/shared/approval';
import type { JsonObject } from '@loom/shared/json';
import type { ToolEffect } from '@loom/shared/tool';
import type { PendingCall } from './pending-calls.ts';

/** What becomes of a call: it runs (perhaps with a person's arguments), waits for a person, or is answered. */
export type GateResult =
  | { kind: 'run'; edited: JsonObject | null }
  | { kind: 'ask'; reason: string; always: boolean }
  | { kind: 'answer'; code: 'denied' | 'expired'; text: string };

export type CallGate = (pending: PendingCall, effect: ToolEffect) => GateResult;

interface GateRules {
  mode: ApprovalMode;
  on_timeout: 'deny' | 'approve';
  /** Tools that a person freed for this task or session. */
  allowed_tools: readonly string[];
  /** What people said about calls of this unit. */
  approvals: readonly StoredApproval[];
}

/** The gate in front of a unit's calls: a decision that was made holds, else the policy says whether to ask. */
export function createCallGate(rules: GateRules): CallGate {
  const { mode, on_timeout, allowed_tools } = rules;
  const decided = new Map(rules.approvals.map((approval) => [approval.call_key, approval]));
  return ({ call, key }, effect) => {
    const approval = decided.get(key);
    if (approval !== undefined && approval.status !== 'pending') {
      return resultOf(approval, on_timeout);
    }
    const gate = gateCall({
      mode,
      tool: call.name,
      effect,
      arguments: call.arguments,
      allowed_tools,
    });
    return gate.kind === 'ask' ? gate : { kind: 'run', edited: null };
  };
}

function resultOf(approval: StoredApproval, onTimeout: GateRules['on_timeout']): GateResult {
  const { status, decided_arguments, decision_reason } = approval;
  if (status === 'approved' || (status === 'expired' && onTimeout === 'approve')) {
    return { kind: 'run', edited: decided_arguments };
  }
  if (status === 'expired') {
    const text = 'Nobody answered in time, so this call was not made.';
    return { kind: 'answer', code: 'expired', text };
  }
  const reason = decision_reason?.trim() || 'no reason was given.';
  return { kind: 'answer', code: 'denied', text: `The user refused this call: ${reason}` };
}
