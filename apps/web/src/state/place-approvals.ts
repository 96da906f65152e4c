import type { Message } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';
import type { ToolCall } from '@loom/shared/chat';

interface ApprovalPlaces {
  /** Tool call id → the question about it. */
  by_call: Map<string, Approval>;
  /** Turn id → questions of which the call is not known. */
  by_turn: Map<string, Approval[]>;
}

/** Finds the call of its turn that each question is about, by tool and arguments. */
export function placeApprovals(messages: Message[], approvals: Approval[]): ApprovalPlaces {
  const places: ApprovalPlaces = { by_call: new Map(), by_turn: new Map() };
  const ordered = approvals.toSorted((a, b) => a.requested_at.localeCompare(b.requested_at));
  for (const approval of ordered) {
    const { turn_id, task_id } = approval;
    if (turn_id === null || task_id !== null) continue;
    const call = messages
      .filter((message) => message.turn_id === turn_id)
      .flatMap((message) => message.tool_calls ?? [])
      .find((candidate) => !places.by_call.has(candidate.id) && isAbout(approval, candidate));
    if (call) places.by_call.set(call.id, approval);
    else places.by_turn.set(turn_id, [...(places.by_turn.get(turn_id) ?? []), approval]);
  }
  return places;
}

function isAbout(approval: Approval, call: ToolCall): boolean {
  return (
    call.name === approval.tool &&
    inOrder(call.arguments ?? {}) === inOrder(approval.arguments ?? {})
  );
}

// The database keeps the keys of an object in an order of its own.
function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${inOrder(inner)}`).join()}}`;
}
