import type {
  Message,
  RecallAnswer,
  Scope,
  Session,
  Task,
  TaskListItem,
  Turn,
  TurnAccepted,
} from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import type { Approval, DecideApproval } from '@loom/shared/approval';
import type { Todo } from '@loom/shared/todo';
import { postOnce } from './post-once.ts';
import { request } from './request.ts';

/** A page of a list. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Me {
  tenant: string;
  key_name: string;
  key_id?: string;
  scopes: Scope[];
  model: { name: string; is_demo: boolean } | null;
}

/** A session with the cursor from which its stream carries on. */
export type SessionWithCursor = Session & { last_seq?: number };

export const fetchMe = () => request<Me>('GET', '/api/me');

export const signIn = (key: string) => request<unknown>('POST', '/login', { body: { key } });

export const listSessions = (cursor: string | null) =>
  request<Page<Session>>(
    'GET',
    `/api/sessions?limit=40${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  );

export const createSession = (title: string) => postOnce<Session>('/api/sessions', { title });

export const fetchSession = (id: string, signal: AbortSignal) =>
  request<SessionWithCursor>('GET', `/api/sessions/${id}`, { signal });

/** The last messages below a number, a page of them. */
export async function fetchMessagesBefore(
  sessionId: string,
  before: number,
  signal?: AbortSignal,
): Promise<Message[]> {
  const path = `/api/sessions/${sessionId}/messages?before=${before}&limit=60`;
  return (await request<Page<Message>>('GET', path, { signal })).items;
}

/** Messages from a number on, a page of them. */
export async function fetchMessagesFrom(
  sessionId: string,
  number: number,
  signal?: AbortSignal,
): Promise<Message[]> {
  const path = `/api/sessions/${sessionId}/messages?after=${Math.max(0, number - 1)}&limit=60`;
  return (await request<Page<Message>>('GET', path, { signal })).items;
}

/** One message, whole; in a list, empty when it is not there. */
export async function fetchMessage(
  sessionId: string,
  number: number,
  signal: AbortSignal,
): Promise<Message[]> {
  const path = `/api/sessions/${sessionId}/messages?after=${number - 1}&limit=1`;
  return (await request<Page<Message>>('GET', path, { signal })).items;
}

/** What a message does that is sent while a turn is at work. */
export type IfBusy = 'queue' | 'steer' | 'interrupt';

export const sendTurn = (sessionId: string, content: string, if_busy: IfBusy = 'queue') =>
  postOnce<TurnAccepted>(`/api/sessions/${sessionId}/turns`, { content, if_busy });

export const searchArchive = (sessionId: string, query: string, signal: AbortSignal) =>
  request<RecallAnswer>('POST', `/api/sessions/${sessionId}/recall`, {
    body: { action: 'search', query, limit: 30 },
    signal,
  });

export const fetchTurn = (sessionId: string, turnId: string, signal: AbortSignal) =>
  request<Turn>('GET', `/api/sessions/${sessionId}/turns/${turnId}`, { signal });

export const cancelTurn = (sessionId: string, turnId: string) =>
  request<unknown>('POST', `/api/sessions/${sessionId}/turns/${turnId}/cancel`);

/** The newest tasks of a session; older ones stay visible as plain tool calls. */
export async function listTasks(sessionId: string, signal: AbortSignal): Promise<TaskListItem[]> {
  const path = `/api/tasks?session_id=${encodeURIComponent(sessionId)}&limit=100`;
  return (await request<Page<TaskListItem>>('GET', path, { signal })).items;
}

export const fetchTask = (id: string, signal: AbortSignal) =>
  request<Task>('GET', `/api/tasks/${id}`, { signal });

export const cancelTask = (id: string) => request<unknown>('POST', `/api/tasks/${id}/cancel`);

/** The newest questions of a session, and every one that is open. */
export async function listApprovals(sessionId: string, signal: AbortSignal): Promise<Approval[]> {
  const path = `/api/approvals?session_id=${encodeURIComponent(sessionId)}&limit=200`;
  const pages = await Promise.all(
    [path, `${path}&status=pending`].map((address) =>
      request<Page<Approval>>('GET', address, { signal }),
    ),
  );
  return pages.flatMap(({ items }) => items);
}

export const fetchApproval = (id: string, signal: AbortSignal) =>
  request<Approval>('GET', `/api/approvals/${id}`, { signal });

export const decideApproval = (id: string, decision: Partial<DecideApproval>) =>
  request<Approval>('POST', `/api/approvals/${id}`, { body: decision });

/** The list of a turn; empty where there is none. */
export async function listTodos(
  sessionId: string,
  turnId: string,
  signal: AbortSignal,
): Promise<Todo[]> {
  const path = `/api/sessions/${sessionId}/todos?turn_id=${encodeURIComponent(turnId)}`;
  try {
    return (await request<Page<Todo>>('GET', path, { signal })).items;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return [];
    throw error;
  }
}
