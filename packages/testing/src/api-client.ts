import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CreateSession,
  type Problem,
  type Replay,
  replaySchema,
  type Session,
  sessionSchema,
  type Task,
  type Turn,
  type TurnAccepted,
  taskSchema,
  turnAcceptedSchema,
  turnSchema,
} from '@loom/shared/api';
import { type Approval, approvalSchema, type DecideApproval } from '@loom/shared/approval';
import { type LoggedEvent, terminalTaskEvents } from '@loom/shared/events';
import type { QueueInfo } from '@loom/shared/queue-admin';
import { isTerminalTask, isTerminalTurn } from '@loom/shared/statuses';
import { type StreamedEvent, type StreamOptions, streamEvents } from './event-stream.ts';
import { followStream, type Transcript } from './transcript.ts';

/** A response outside 2xx, with the problem that the gateway reported. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(request: string, status: number, problem: Partial<Problem>) {
    super(`${request} answered ${status}: ${JSON.stringify(problem)}`);
    this.status = status;
    this.problem = problem;
  }
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  body: unknown;
}

interface WaitOptions {
  timeoutMs?: number;
}

export type Client = ReturnType<typeof createClient>;

/** A client of one or more gateways that share a key; requests go to the first that answers. */
export function createClient(options: { url: string | string[]; key: string }) {
  const urls = [options.url].flat();
  const authorization = `Bearer ${options.key}`;

  /** Sends to any gateway and returns whatever comes back; tries the next when one is gone. */
  async function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    let lastError: unknown;
    // Twice around: a kept connection may be closed by the only gateway left just as it is used.
    for (const url of [...urls, ...urls]) {
      try {
        const response = await fetch(new URL(path, url), {
          method,
          headers: {
            authorization,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const content = await response.text();
        return { status: response.status, headers: response.headers, body: parse(content) };
      } catch (error) {
        lastError = error;
      }
    }
    throw lastError;
  }

  async function succeed(...[method, path, body, headers]: Parameters<typeof request>) {
    const response = await request(method, path, body, headers);
    if (response.status < 200 || response.status > 299) {
      throw new ApiError(`${method} ${path}`, response.status, response.body as Partial<Problem>);
    }
    return response.body;
  }

  const get = (path: string) => succeed('GET', path);
  // With a key of its own a request may safely be repeated at the next gateway.
  const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    succeed('POST', path, body, { 'idempotency-key': randomUUID(), ...headers });
  const stream = (path: string, streamOptions: StreamOptions = {}) =>
    streamEvents({ urls, path, headers: { authorization }, ...streamOptions });

  const getTask = async (id: string): Promise<Task> =>
    taskSchema.parse(await get(`/api/tasks/${id}`));
  const getTurn = async (sessionId: string, turnId: string): Promise<Turn> =>
    turnSchema.parse(await get(`/api/sessions/${sessionId}/turns/${turnId}`));

  return {
    urls,
    request,
    get,
    post,
    getTask,
    getTurn,
    streamEvents: stream,

    async createSession(input: CreateSession = {}): Promise<Session> {
      return sessionSchema.parse(await post('/api/sessions', input));
    },
    async sendTurn(
      sessionId: string,
      content: string,
      headers?: Record<string, string>,
    ): Promise<TurnAccepted> {
      const path = `/api/sessions/${sessionId}/turns`;
      return turnAcceptedSchema.parse(await post(path, { content }, headers));
    },
    async createTask(
      input: { goal: string } & Record<string, unknown>,
      headers?: Record<string, string>,
    ): Promise<Task> {
      return taskSchema.parse(await post('/api/tasks', input, headers));
    },
    /** Asks something of a task: pause, resume, cancel, abort, replan, retry. */
    async controlTask(id: string, action: string, body?: Record<string, unknown>): Promise<Task> {
      return taskSchema.parse(await post(`/api/tasks/${id}/${action}`, body));
    },
    /** The same of one subtask: pause, resume, retry, skip. */
    async controlSubtask(
      [id, subtaskId]: [string, string],
      action: string,
      body?: Record<string, unknown>,
    ): Promise<Task> {
      return taskSchema.parse(await post(`/api/tasks/${id}/subtasks/${subtaskId}/${action}`, body));
    },
    /** Passes guidance on and returns the receipt that events acknowledge. */
    async steerTask(id: string, guidance: string, subtask_id?: string): Promise<string> {
      const receipt = await post(`/api/tasks/${id}/steer`, { guidance, subtask_id });
      return (receipt as { receipt_id: string }).receipt_id;
    },
    /** Approvals that a query finds, newest first; pending ones unless it says otherwise. */
    async listApprovals(query: Record<string, string> = {}): Promise<Approval[]> {
      const search = new URLSearchParams({ status: 'pending', ...query });
      const page = (await get(`/api/approvals?${search}`)) as { items: unknown[] };
      return approvalSchema.array().parse(page.items);
    },
    async decideApproval(
      id: string,
      decision: DecideApproval['decision'],
      more: Partial<DecideApproval> = {},
    ): Promise<Approval> {
      return approvalSchema.parse(await post(`/api/approvals/${id}`, { decision, ...more }));
    },
    /** The whole log of a task. */
    async getEvents(taskId: string): Promise<LoggedEvent[]> {
      const items: LoggedEvent[] = [];
      for (let after = 0; ; after = items.length) {
        const path = `/api/tasks/${taskId}/events?limit=200&after=${after}`;
        const page = await succeed('GET', path, undefined, { accept: 'application/json' });
        const found = (page as { items: LoggedEvent[] }).items;
        if (found.length === 0) return items;
        items.push(...found);
      }
    },
    async getReplay(taskId: string): Promise<Replay> {
      return replaySchema.parse(await get(`/api/tasks/${taskId}/replay`));
    },

    /** Job counts of every queue; needs an admin's key. */
    async queueCounts(): Promise<Pick<QueueInfo, 'name' | 'counts'>[]> {
      const { items } = (await get('/api/admin/queues')) as { items: QueueInfo[] };
      return items;
    },

    /** Follows the task's stream until it has ended; survives the loss of a gateway. */
    async waitForTask(id: string, wait: WaitOptions = {}): Promise<Task> {
      return waitOnStream(stream, `/api/tasks/${id}/events`, wait, async (event) => {
        if (!isOneOf(terminalTaskEvents, event.type)) return null;
        const task = await getTask(id);
        // A retried task has an older end in its log.
        return isTerminalTask(task.status) ? task : null;
      });
    },

    /** Follows the session's stream until the turn has ended or asks the user. */
    async waitForTurn(sessionId: string, turnId: string, wait: WaitOptions = {}): Promise<Turn> {
      return waitOnStream(stream, `/api/sessions/${sessionId}/events`, wait, async (event) => {
        if (event.turn_id !== turnId || !event.type.startsWith('turn.')) return null;
        const turn = await getTurn(sessionId, turnId);
        return isTerminalTurn(turn.status) || turn.status === 'awaiting_user' ? turn : null;
      });
    },

    /** Records a stream for ever, so that it can be compared with the database. */
    follow(
      kind: 'task' | 'session',
      id: string,
      followOptions: Pick<StreamOptions, 'through'> = {},
    ): Transcript {
      return followStream({ kind, id }, (signal) =>
        stream(`/api/${kind}s/${id}/events`, { after: '0', ...followOptions, signal }),
      );
    },
  };
}

async function waitOnStream<T>(
  stream: (path: string, options: StreamOptions) => AsyncGenerator<StreamedEvent>,
  path: string,
  { timeoutMs = 60_000 }: WaitOptions,
  examine: (event: StreamedEvent) => Promise<T | null>,
): Promise<T> {
  const seen: string[] = [];
  const finished = new AbortController();
  const timer = delay(timeoutMs, undefined, { signal: finished.signal }).then(
    () =>
      finished.abort(new Error(`${path}: not over after ${timeoutMs} ms; saw ${seen.join(' ')}`)),
    () => {},
  );
  try {
    for await (const event of stream(path, { after: '0', signal: finished.signal })) {
      seen.push(event.type);
      const found = await examine(event);
      if (found !== null) return found;
    }
    throw finished.signal.reason;
  } finally {
    finished.abort();
    await timer;
  }
}

function isOneOf(list: readonly string[], value: string): boolean {
  return list.includes(value);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
