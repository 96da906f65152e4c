import type { Message } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';
import type { ToolCall } from '@loom/shared/chat';
import { isTerminalTurn } from '@loom/shared/statuses';
import { activeTurnId, type ConversationState, type TurnView } from './conversation-state.ts';
import { placeApprovals } from './place-approvals.ts';
import { placeTasks } from './place-tasks.ts';

export interface ToolUse {
  call: ToolCall;
  result: Message | null;
  /** The turn is over: a result that is missing will not come. */
  is_over: boolean;
  is_failed: boolean;
}

/** One thing in the conversation, in reading order; `numbers`: the messages that it shows. */
export type TranscriptItem = { key: string; numbers: number[] } & (
  | { kind: 'user'; message: Message; is_queued: boolean }
  | { kind: 'assistant'; text: string; is_live: boolean }
  | { kind: 'delivered'; text: string }
  | { kind: 'tool'; use: ToolUse }
  | { kind: 'question'; use: ToolUse }
  | { kind: 'approval'; approval: Approval }
  | { kind: 'task'; task_id: string }
  | { kind: 'thinking' }
  | { kind: 'notice'; turn: TurnView }
);

/** Lays the conversation out turn by turn, so that a queued message follows the answer it waits for. */
export function layOutTranscript(state: ConversationState): TranscriptItem[] {
  const results = new Map(
    state.messages.flatMap((message) =>
      message.role === 'tool' && message.tool_call_id !== null
        ? [[message.tool_call_id, message] as const]
        : [],
    ),
  );
  const places = placeTasks(state.messages, Object.values(state.tasks));
  const approvals = placeApprovals(state.messages, Object.values(state.approvals));
  const activeId = activeTurnId(state);
  const items: TranscriptItem[] = [];
  for (const messages of groupByTurn(state.messages)) {
    const turnId = messages[0]?.turn_id ?? null;
    const turn = turnId === null ? undefined : state.turns[turnId];
    const context = {
      is_over: turn === undefined || isTerminalTurn(turn.status),
      is_queued: turn?.status === 'queued' && turnId !== activeId,
    };
    for (const message of messages) {
      items.push(
        ...layOutMessage(message, {
          ...context,
          results,
          task_of_call: places.by_call,
          approval_of_call: approvals.by_call,
          failed_calls: state.failed_calls,
        }),
      );
      for (const id of places.after_message.get(message.number) ?? []) items.push(taskItem(id));
    }
    for (const approval of approvals.by_turn.get(turnId ?? '') ?? [])
      items.push(approvalItem(approval));
    if (turn && turnId !== null && !context.is_queued)
      items.push(...layOutTurnEnd(state, turnId, turn, messages));
  }
  for (const id of places.unplaced) items.push(taskItem(id));
  return items;
}

interface MessageContext {
  is_over: boolean;
  is_queued: boolean;
  results: ReadonlyMap<string, Message>;
  task_of_call: ReadonlyMap<string, string>;
  approval_of_call: ReadonlyMap<string, Approval>;
  failed_calls: Record<string, true>;
}

function layOutMessage(message: Message, context: MessageContext): TranscriptItem[] {
  const place = { key: `message-${message.number}`, numbers: [message.number] };
  const text = message.content;
  if (message.role === 'user')
    return [{ ...place, kind: 'user', message, is_queued: context.is_queued }];
  if (message.role === 'system') return [{ ...place, kind: 'delivered', text }];
  if (message.role !== 'assistant') return [];
  const items: TranscriptItem[] = [];
  if (text.trim() !== '') items.push({ ...place, kind: 'assistant', text, is_live: false });
  for (const call of message.tool_calls ?? [])
    items.push(...layOutCall(call, message.number, context));
  return items;
}

function layOutCall(call: ToolCall, number: number, context: MessageContext): TranscriptItem[] {
  const { results, task_of_call, approval_of_call, failed_calls, is_over } = context;
  const result = results.get(call.id) ?? null;
  const numbers = result === null ? [number] : [number, result.number];
  const approval = approval_of_call.get(call.id);
  const asked = approval ? [approvalItem(approval)] : [];
  // What is asked about says everything that the call would.
  if (approval?.status === 'pending') return asked;
  const taskId = task_of_call.get(call.id);
  if (taskId !== undefined) return [...asked, { ...taskItem(taskId), numbers }];
  const use = { call, result, is_over, is_failed: failed_calls[call.id] ?? false };
  const kind = call.name === 'ask_user' ? 'question' : 'tool';
  return [...asked, { kind, key: `call-${call.id}`, numbers, use }];
}

function layOutTurnEnd(
  state: ConversationState,
  turnId: string,
  turn: TurnView,
  messages: Message[],
): TranscriptItem[] {
  if (turn.status === 'failed' || turn.status === 'cancelled')
    return [{ kind: 'notice', key: `notice-${turnId}`, numbers: [], turn }];
  if (turn.status !== 'running' && turn.status !== 'queued') return [];
  const live = state.live?.turn_id === turnId ? state.live.text : '';
  // A late piece of a message that is stored already must not show the message twice.
  const last = messages.findLast((message) => message.role === 'assistant');
  const isStored = last?.content.startsWith(live) ?? false;
  if (live.trim() === '' || isStored)
    return [{ kind: 'thinking', key: `thinking-${turnId}`, numbers: [] }];
  return [{ kind: 'assistant', key: `live-${turnId}`, numbers: [], text: live, is_live: true }];
}

function taskItem(id: string): TranscriptItem {
  return { kind: 'task', key: `task-${id}`, numbers: [], task_id: id };
}

function approvalItem(approval: Approval): TranscriptItem {
  return { kind: 'approval', key: `approval-${approval.id}`, numbers: [], approval };
}

function groupByTurn(messages: Message[]): Message[][] {
  const groups = new Map<string, Message[]>();
  for (const message of messages) {
    const key = message.turn_id ?? `message-${message.number}`;
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return [...groups.values()];
}
