import type {
  Message,
  Scope,
  Session,
  Task,
  TaskListItem,
  Turn,
  TurnAccepted,
} from '@loom/shared/api';
import { postOnce } from './post-once.ts';
import { request } from './request.ts';

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export interface Me {
  tenant: string;
  key_name: string;
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

/** One message, whole; in a list, empty when it is not there. */
export async function fetchMessage(
  sessionId: string,
  number: number,
  signal: AbortSignal,
): Promise<Message[]> {
  const path = `/api/sessions/${sessionId}/messages?after=${number - 1}&limit=1`;
  return (await request<Page<Message>>('GET', path, { signal })).items;
}

export const sendTurn = (sessionId: string, content: string) =>
  postOnce<TurnAccepted>(`/api/sessions/${sessionId}/turns`, { content });

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
