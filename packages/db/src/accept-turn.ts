import type { CreateTurn, TurnAccepted } from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import type { Approval, ApprovalDecision } from '@loom/shared/approval';
import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import { plainAnswer } from '@loom/shared/plain-answer';
import type { Ring } from '@loom/shared/queues';
import { firstLine } from '@loom/shared/text';
import type { DecideTurn } from '@loom/shared/turn-state';
import type pg from 'pg';
import { answerInChat } from './answer-in-chat.ts';
import {
  appendToSessions,
  lockSessions,
  type SessionLine,
  type SessionRow,
} from './append-to-sessions.ts';
import { applyTurnInput, readOpenTurns, startNextTurn, type TurnRow } from './turn-rows.ts';

interface AcceptTurn {
  tenant_id: string;
  actor: string;
  session_id: string;
  turn_id: string;
  input: CreateTurn;
  decide: DecideTurn;
}

interface TurnAcceptance {
  accepted: TurnAccepted;
  rings: Ring[];
  /** Turns that are to stop for this one. */
  interrupted: string[];
  /** What the message decides about a task. */
  decides: { question: Approval; decision: ApprovalDecision['decision'] } | null;
}

/** Stores a user's message before anything else happens with it, and what it sets in motion. */
export async function acceptTurn(
  client: pg.ClientBase,
  params: AcceptTurn,
): Promise<TurnAcceptance> {
  const [session, openTurns] = await Promise.all([
    lockSession(client, params.tenant_id, params.session_id),
    readOpenTurns(client, params.session_id),
  ]);
  if (session.status === 'ended') {
    throw new AppError('session_ended', 'This session has ended. Open a new one to go on.');
  }
  const asking = openTurns.find(({ status }) => status === 'awaiting_user');
  if (asking !== undefined) return answerQuestion(client, params, session, asking);
  const [current] = openTurns;
  const answered = current && (await answerApproval(client, params, session, current));
  if (answered) return answered;
  if (openTurns.length > 0 && params.input.if_busy === 'reject') {
    throw new AppError(
      'session_busy',
      'A turn is running in this session. Wait for it or cancel it.',
      {
        details: { turn_id: openTurns[0]?.id },
      },
    );
  }
  // One that is to stop would end without having read it.
  if (params.input.if_busy === 'steer' && current?.cancel_requested === false) {
    return steerTurn(client, params, session, current);
  }
  const interrupted: string[] = [];
  if (params.input.if_busy === 'interrupt') {
    for (const turn of openTurns) {
      const input = { kind: 'stop_requested', by: params.actor } as const;
      await applyTurnInput({ client, decide: params.decide, session, turn, input, lines: [] });
      interrupted.push(turn.id);
    }
  }
  // Sent together, carried out in this order.
  const [number, rings] = await Promise.all([
    insertTurn(client, params, session),
    startNextTurn(client, session),
  ]);
  return {
    accepted: { turn_id: params.turn_id, session_id: session.id, message_number: number },
    rings,
    interrupted,
    decides: null,
  };
}

async function insertTurn(
  client: pg.ClientBase,
  params: AcceptTurn,
  session: SessionRow,
): Promise<number> {
  const { turn_id, tenant_id, session_id, input, decide } = params;
  // clock_timestamp, since now() is the transaction's start and would not order waiting senders.
  const inserted = client.query(
    `INSERT INTO turns (id, tenant_id, session_id, status, created_at)
      VALUES ($1, $2, $3, 'queued', clock_timestamp())`,
    [turn_id, tenant_id, session_id],
  );
  const { events } = decide({ status: 'queued', cancel_requested: false }, { kind: 'accepted' });
  const appended = appendToSessions(client, [
    {
      session,
      tokens: 0,
      lines: [
        ...events.map((event) => ({ kind: 'event', event, turn_id, task_id: null }) as const),
        { kind: 'message', turn_id, message: { role: 'user', content: input.content } },
      ],
    },
  ]);
  const titled = client.query(`UPDATE sessions SET title = $2 WHERE id = $1 AND title = ''`, [
    session_id,
    firstLine(input.content, 80),
  ]);
  const [[number]] = await Promise.all([appended, inserted, titled]);
  return number ?? 0;
}

/** The message answers the question that the parked turn asked. */
async function answerQuestion(
  client: pg.ClientBase,
  params: AcceptTurn,
  session: SessionRow,
  turn: TurnRow,
): Promise<TurnAcceptance> {
  const { content } = params.input;
  const answer: ChatMessage = {
    role: 'tool',
    content,
    tool_call_id: turn.awaiting_call_id ?? '',
    tool_name: 'ask_user',
  };
  const messages: ChatMessage[] = [answer, { role: 'user', content }];
  const { rings, numbers } = await applyTurnInput({
    client,
    decide: params.decide,
    session,
    turn,
    input: { kind: 'answered' },
    lines: messages.map((message) => ({ kind: 'message', turn_id: turn.id, message })),
  });
  return {
    accepted: { turn_id: turn.id, session_id: session.id, message_number: numbers[1] ?? 0 },
    rings,
    interrupted: [],
    decides: null,
  };
}

/** The message is the yes or no that the open turn, or its task, waits for; null when it is not. */
async function answerApproval(
  client: pg.ClientBase,
  { actor, decide, input: { content, if_busy } }: AcceptTurn,
  session: SessionRow,
  turn: TurnRow,
): Promise<TurnAcceptance | null> {
  const decision = if_busy === 'interrupt' ? null : plainAnswer(content);
  if (decision === null) return null;
  const params = { session, turn, content, decision, actor, decide };
  const answered = await answerInChat(client, params);
  if (answered === null) return null;
  const { message_number, rings, question } = answered;
  return {
    accepted: { turn_id: turn.id, session_id: session.id, message_number },
    rings,
    interrupted: [],
    decides: question === null ? null : { question, decision },
  };
}

/** The message joins the open turn, which reads it before its next model call and does not end before. */
async function steerTurn(
  client: pg.ClientBase,
  { input }: AcceptTurn,
  session: SessionRow,
  { id }: TurnRow,
): Promise<TurnAcceptance> {
  const number = session.last_message_number + 1;
  const event: NewEvent = { type: 'turn.steered', data: { number } };
  const message: ChatMessage = { role: 'user', content: input.content };
  const lines: SessionLine[] = [
    { kind: 'event', event, turn_id: id, task_id: null },
    { kind: 'message', turn_id: id, message },
  ];
  await appendToSessions(client, [{ session, lines, tokens: 0 }]);
  const accepted = { turn_id: id, session_id: session.id, message_number: number };
  return { accepted, rings: [], interrupted: [], decides: null };
}

/** Locks a tenant's session, or says that there is none. */
export async function lockSession(
  client: pg.ClientBase,
  tenantId: string,
  sessionId: string,
): Promise<SessionRow> {
  const session = (await lockSessions(client, [sessionId])).get(sessionId);
  if (session === undefined || session.tenant_id !== tenantId) {
    throw new AppError('not_found', `There is no session ${sessionId}.`);
  }
  return session;
}
