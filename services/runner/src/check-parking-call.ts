import type { ToolCall } from '@loom/shared/chat';
import { conversationToolSpecs, type DelegateTaskInput } from '@loom/tools/conversation-tools';
import { parseArguments } from '@loom/tools/parse-arguments';

type ParkingCall =
  | { kind: 'ask_user' }
  | { kind: 'delegate_task'; input: DelegateTaskInput }
  | { kind: 'invalid'; text: string };

/** Reads the arguments of a call that parks the turn; a wrong one is answered with how to correct it. */
export function checkParkingCall(call: ToolCall): ParkingCall {
  if (call.name === 'ask_user') {
    const parsed = parseArguments(conversationToolSpecs.ask_user, call.arguments);
    return parsed.ok ? { kind: 'ask_user' } : { kind: 'invalid', text: parsed.result.text };
  }
  const parsed = parseArguments(conversationToolSpecs.delegate_task, call.arguments);
  if (!parsed.ok) return { kind: 'invalid', text: parsed.result.text };
  if (parsed.input.process !== undefined) {
    const text = `There is no process "${parsed.input.process}" here. Call delegate_task again without "process".`;
    return { kind: 'invalid', text };
  }
  return { kind: 'delegate_task', input: parsed.input };
}
