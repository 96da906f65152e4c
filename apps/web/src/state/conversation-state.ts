import type { Message, Task, TaskListItem, Turn } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';
import { isTerminalTask, isTerminalTurn, type TurnStatus } from '@loom/shared/statuses';
import type { StreamEvent } from '../http/stream-event.ts';
import { type Approvals, closeApproval, mergeApprovals } from './fold-approvals.ts';
import { addLiveText, type LiveText } from './live-text.ts';
import { readAppendedMessage } from './read-appended-message.ts';
import { applyTaskEvent, newTask, type TaskView } from './task-view.ts';

export interface TurnView {
  status: TurnStatus;
  error: string | null;
}

/** Everything the page knows of one conversation. */
export interface ConversationState {
  /** By number, without repeats. */
  messages: Message[];
  turns: Record<string, TurnView>;
  live: LiveText | null;
  tasks: Record<string, TaskView>;
  approvals: Approvals;
  /** Tool calls of which the stream said that they failed. */
  failed_calls: Record<string, true>;
}

export type ConversationAction =
  | {
      kind: 'loaded';
      messages: Message[];
      turns: Turn[];
      tasks: TaskListItem[];
      approvals: Approval[];
    }
  | { kind: 'messages_loaded'; messages: Message[] }
  | { kind: 'approval_loaded'; approval: Approval }
  | { kind: 'task_loaded'; task: Task }
  | { kind: 'turn_accepted'; turn_id: string; message_number: number; content: string; at: string }
  | { kind: 'event'; event: StreamEvent };

export const emptyConversation: ConversationState = {
  messages: [],
  turns: {},
  live: null,
  tasks: {},
  approvals: {},
  failed_calls: {},
};

const turnStatusAfter: Record<string, TurnStatus> = {
  'turn.queued': 'queued',
  'turn.started': 'running',
  'turn.recovered': 'running',
  'turn.awaiting_task': 'awaiting_task',
  'turn.awaiting_user': 'awaiting_user',
  'turn.awaiting_approval': 'awaiting_approval',
  'turn.completed': 'completed',
  'turn.failed': 'failed',
  'turn.cancelled': 'cancelled',
};

/** Folds what was loaded and what was streamed into one state; every order of the two is fine. */
export function reduceConversation(
  state: ConversationState,
  action: ConversationAction,
): ConversationState {
  switch (action.kind) {
    case 'loaded':
      return {
        ...state,
        messages: mergeMessages([], action.messages),
        turns: Object.fromEntries(action.turns.map((turn) => [turn.id, viewTurn(turn)])),
        live: null,
        tasks: Object.fromEntries(
          action.tasks.map((task) => [
            task.id,
            { ...newTask, ...state.tasks[task.id], ...task, is_stopping: false },
          ]),
        ),
        approvals: mergeApprovals(state.approvals, action.approvals),
      };
    case 'approval_loaded':
      return { ...state, approvals: mergeApprovals(state.approvals, [action.approval]) };
    case 'messages_loaded':
      return { ...state, messages: mergeMessages(state.messages, action.messages) };
    case 'task_loaded': {
      const known = state.tasks[action.task.id] ?? newTask;
      const is_stopping = known.is_stopping && !isTerminalTask(action.task.status);
      const { activity, events_seen } = known;
      return withTask(state, { ...action.task, activity, events_seen, is_stopping });
    }
    case 'turn_accepted':
      return acceptTurn(state, action);
    case 'event':
      return applyEvent(state, action.event);
  }
}

/** The turn that is at work or next in line; null when nothing is left to do. */
export function activeTurnId(state: ConversationState): string | null {
  for (const { turn_id } of state.messages) {
    const turn = turn_id === null ? undefined : state.turns[turn_id];
    if (turn && !isTerminalTurn(turn.status)) return turn_id;
  }
  return null;
}

function applyEvent(state: ConversationState, event: StreamEvent): ConversationState {
  if (event.type === 'message.appended') {
    const message = readAppendedMessage(event);
    if (message === null) return state;
    const isCut = event.data.truncated === true;
    const known = state.messages.some(({ number }) => number === message.number);
    const ends = message.role === 'assistant' && state.live?.turn_id === message.turn_id;
    return {
      ...state,
      messages: isCut && known ? state.messages : mergeMessages(state.messages, [message]),
      live: ends ? null : state.live,
    };
  }
  if (event.type === 'message.delta' || event.type === 'message.snapshot') {
    const live = addLiveText(state.live, event);
    const turn = live && state.turns[live.turn_id];
    return turn && isTerminalTurn(turn.status) ? state : { ...state, live };
  }
  const turnStatus = turnStatusAfter[event.type];
  if (turnStatus !== undefined && event.turn_id !== undefined) {
    const turn = { status: turnStatus, error: readError(event.data) };
    const ends = isTerminalTurn(turnStatus) && state.live?.turn_id === event.turn_id;
    return {
      ...state,
      turns: { ...state.turns, [event.turn_id]: turn },
      live: ends ? null : state.live,
    };
  }
  if (event.type === 'tool.error' && event.task_id === undefined) {
    const failed_calls = { ...state.failed_calls, [String(event.data.call_id)]: true as const };
    return { ...state, failed_calls };
  }
  const next = { ...state, approvals: closeApproval(state.approvals, event) };
  const task = event.task_id === undefined ? undefined : state.tasks[event.task_id];
  return task ? withTask(next, applyTaskEvent(task, event)) : next;
}

function acceptTurn(
  state: ConversationState,
  accepted: Extract<ConversationAction, { kind: 'turn_accepted' }>,
): ConversationState {
  const message: Message = {
    number: accepted.message_number,
    role: 'user',
    content: accepted.content,
    tool_calls: null,
    tool_call_id: null,
    tool_name: null,
    token_count: 0,
    turn_id: accepted.turn_id,
    created_at: accepted.at,
  };
  return {
    ...state,
    messages: mergeMessages([message], state.messages),
    turns: { [accepted.turn_id]: { status: 'queued', error: null }, ...state.turns },
  };
}

function withTask(state: ConversationState, task: TaskView): ConversationState {
  return { ...state, tasks: { ...state.tasks, [task.id]: task } };
}

/** The later list wins where both know a number. */
function mergeMessages(known: Message[], more: Message[]): Message[] {
  const byNumber = new Map([...known, ...more].map((message) => [message.number, message]));
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

function viewTurn(turn: Turn): TurnView {
  return { status: turn.status, error: turn.error?.message ?? null };
}

function readError(data: Record<string, unknown>): string | null {
  const error = data.error;
  if (typeof error === 'string') return error;
  if (error !== null && typeof error === 'object' && 'message' in error)
    return String(error.message);
  return typeof data.message === 'string' ? data.message : null;
}
