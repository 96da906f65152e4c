import type { ApprovalMode } from '@loom/shared/approval';
import type { ToolEffect } from '@loom/shared/tool';
import { judgeToolCall } from './commands/judge-tool-call.ts';

/** Whether a tool call may run, or what a person is asked; `always`: the answer holds this once. */
export type GateAnswer = { kind: 'allow' } | { kind: 'ask'; reason: string; always: boolean };

/**
 * Decides before a tool runs whether a person must allow it. What is gated always (behaviours,
 * A1) asks in every mode and cannot be remembered; the mode `manual` asks for everything that is
 * not reading, and every mode but `disabled` for a delegation, unless a person has freed the tool.
 */
export function gateCall(params: {
  mode: ApprovalMode;
  tool: string;
  /** Null for a tool that is not known: it may do anything. */
  effect: ToolEffect | null;
  arguments: unknown;
  /** Tools that a person freed, for the task or its session. */
  allowed_tools: readonly string[];
}): GateAnswer {
  const { mode, tool, effect, allowed_tools } = params;
  const reason = judgeToolCall(tool, params.arguments);
  if (reason !== null) return { kind: 'ask', reason, always: true };
  const why = allowed_tools.includes(tool) ? null : reasonOfMode(mode, tool, effect);
  return why === null
    ? { kind: 'allow' }
    : { kind: 'ask', reason: `${why}: ${tool}`, always: false };
}

function reasonOfMode(mode: ApprovalMode, tool: string, effect: ToolEffect | null): string | null {
  if (mode === 'manual' && effect !== 'read') {
    return 'In manual mode every action that may change something is asked about';
  }
  if (mode !== 'disabled' && tool === 'delegate_task') {
    return 'A delegation starts work of its own, so it is asked about unless it was granted';
  }
  return null;
}

/**
 * Whether a call is gated always; for how far its attempt's result can be trusted. A command
 * that nobody can read counts as one.
 */
export function isDestructive(tool: string, args: unknown): boolean {
  return judgeToolCall(tool, args) !== null;
}
