import type { Message } from '@loom/shared/api';
import type { ToolCall } from '@loom/shared/chat';
import { isTerminalTurn } from '@loom/shared/statuses';
import { activeTurnId, type ConversationState, type TurnView } from './conversation-state.ts';
import { placeTasks } from './place-tasks.ts';

export interface ToolUse {
  call: ToolCall;
  result: Message | null;
  /** The turn is over: a result that is missing will not come. */
  is_over: boolean;
  is_failed: boolean;
}

/** One thing in the conversation, in reading order. */
export type TranscriptItem =
  | { kind: 'user'; key: string; message: Message; is_queued: boolean }
  | { kind: 'assistant'; key: string; text: string; is_live: boolean }
  | { kind: 'tool'; key: string; use: ToolUse }
  | { kind: 'question'; key: string; use: ToolUse }
  | { kind: 'task'; key: string; task_id: string }
  | { kind: 'thinking'; key: string }
  | { kind: 'notice'; key: string; turn: TurnView };

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
      items.push(...layOutMessage(message, context, results, places.by_call, state.failed_calls));
      for (const id of places.after_message.get(message.number) ?? []) items.push(taskItem(id));
    }
    if (turn && turnId !== null && !context.is_queued)
      items.push(...layOutTurnEnd(state, turnId, turn, messages));
  }
  for (const id of places.unplaced) items.push(taskItem(id));
  return items;
}

function layOutMessage(
  message: Message,
  turn: { is_over: boolean; is_queued: boolean },
  results: ReadonlyMap<string, Message>,
  taskOfCall: ReadonlyMap<string, string>,
  failedCalls: Record<string, true>,
): TranscriptItem[] {
  const key = `message-${message.number}`;
  if (message.role === 'user') {
    return [{ kind: 'user', key, message, is_queued: turn.is_queued }];
  }
  if (message.role !== 'assistant') return [];
  const items: TranscriptItem[] = [];
  if (message.content.trim() !== '')
    items.push({ kind: 'assistant', key, text: message.content, is_live: false });
  for (const call of message.tool_calls ?? []) {
    const taskId = taskOfCall.get(call.id);
    const use = {
      call,
      result: results.get(call.id) ?? null,
      is_over: turn.is_over,
      is_failed: failedCalls[call.id] ?? false,
    };
    const kind = call.name === 'ask_user' ? 'question' : 'tool';
    items.push(taskId === undefined ? { kind, key: `call-${call.id}`, use } : taskItem(taskId));
  }
  return items;
}

function layOutTurnEnd(
  state: ConversationState,
  turnId: string,
  turn: TurnView,
  messages: Message[],
): TranscriptItem[] {
  if (turn.status === 'failed' || turn.status === 'cancelled')
    return [{ kind: 'notice', key: `notice-${turnId}`, turn }];
  if (turn.status !== 'running' && turn.status !== 'queued') return [];
  const live = state.live?.turn_id === turnId ? state.live.text : '';
  // A late piece of a message that is stored already must not show the message twice.
  const last = messages.findLast((message) => message.role === 'assistant');
  const isStored = last?.content.startsWith(live) ?? false;
  if (live.trim() === '' || isStored) return [{ kind: 'thinking', key: `thinking-${turnId}` }];
  return [{ kind: 'assistant', key: `live-${turnId}`, text: live, is_live: true }];
}

function taskItem(id: string): TranscriptItem {
  return { kind: 'task', key: `task-${id}`, task_id: id };
}

function groupByTurn(messages: Message[]): Message[][] {
  const groups = new Map<string, Message[]>();
  for (const message of messages) {
    const key = message.turn_id ?? `message-${message.number}`;
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return [...groups.values()];
}
