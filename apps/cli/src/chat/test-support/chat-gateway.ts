import type { ServerResponse } from 'node:http';
import type { Message } from '@loom/shared/api';
import { aSession } from '../../testing/builders.ts';
import {
  json,
  openStream,
  type ScriptedGateway,
  sendEvent,
  startScriptedGateway,
} from '../../testing/scripted-gateway.ts';

type Routes = Parameters<typeof startScriptedGateway>[0];
type NewEvent = { type: string; data?: unknown; [key: string]: unknown };

/** A gateway with one session, whose turns do what a test says. */
export interface ChatGateway extends ScriptedGateway {
  send(event: NewEvent): void;
  /** What was said, with how it was said. */
  said(): unknown[];
  /** Bodies of the decisions, by approval. */
  decided(): [string | undefined, unknown][];
}

/** Events of a turn are written before the turn's own answer: nothing may depend on the order. */
export async function startChatGateway(
  onTurn: (content: string, send: (event: NewEvent) => void) => void,
  routes: Routes = {},
): Promise<ChatGateway> {
  let stream: ServerResponse | null = null;
  let seq = 0;
  let turns = 0;
  const send = (event: NewEvent) => {
    seq += 1;
    if (stream !== null) sendEvent(stream, seq, { data: {}, ...event });
  };
  const page = json({ items: [], next_cursor: null });
  const gateway = await startScriptedGateway({
    'POST /api/sessions': json(aSession(), 201),
    'GET /api/sessions/ses_1': json(aSession()),
    'GET /api/sessions/ses_1/messages': page,
    'GET /api/approvals': page,
    'GET /api/tasks': page,
    'GET /api/sessions/ses_1/events': (_, response) => {
      openStream(response);
      stream = response;
    },
    'POST /api/sessions/ses_1/turns': (request, response) => {
      turns += 1;
      const turn_id = `turn_${turns}`;
      const { content } = request.body as { content: string };
      send({ ...message('user', content, { number: turns }), turn_id });
      onTurn(content, (event) => send({ turn_id, ...event }));
      const accepted = { turn_id, session_id: 'ses_1', message_number: turns };
      return json(accepted, 202)(request, response);
    },
    'POST /api/sessions/ses_1/turns/turn_1/cancel': (request, response) => {
      send({ type: 'turn.cancelled', turn_id: 'turn_1' });
      return json({}, 202)(request, response);
    },
    ...routes,
  });
  const posted = (pattern: RegExp) =>
    gateway.heard.filter(({ method, path }) => method === 'POST' && pattern.test(path));
  return {
    ...gateway,
    send,
    said: () => posted(/\/turns$/).map(({ body }) => body),
    decided: () =>
      posted(/^\/api\/approvals\//).map(({ path, body }) => [path.split('/').at(-1), body]),
  };
}

/** An event that puts a question. */
export function asks(id: string, command: string, more: Record<string, unknown> = {}): NewEvent {
  const data = { approval_id: id, kind: 'tool', tool: 'shell_execute', arguments: { command } };
  return { type: 'approval.requested', data: { ...data, reason: 'it deletes' }, ...more };
}

/** An event that brings a message. */
export function message(
  role: string,
  content: string,
  more: Record<string, unknown> = {},
): NewEvent {
  return { type: 'message.appended', data: { number: 100, role, content, ...more } };
}

/** A stored message. */
export function aMessage(number: number, role: Message['role'], content: string): Message {
  return {
    number,
    role,
    content,
    tool_calls: null,
    tool_call_id: null,
    tool_name: null,
    token_count: 1,
    turn_id: null,
    created_at: '',
  };
}
