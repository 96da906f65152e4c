import type { Approval, ApprovalDecision } from '@loom/shared/approval';
import type { ChatMessage } from '@loom/shared/chat';
import type { Ring } from '@loom/shared/queues';
import type { DecideTurn } from '@loom/shared/turn-state';
import type pg from 'pg';
import { appendToSessions, type SessionLine, type SessionRow } from './append-to-sessions.ts';
import { readSessionQuestions, writeAnswer } from './turn-approvals.ts';
import { applyTurnInput, type TurnRow } from './turn-rows.ts';

interface ChatAnswer {
  session: SessionRow;
  /** The turn that is at work. */
  turn: TurnRow;
  content: string;
  decision: ApprovalDecision['decision'];
  actor: string;
  decide: DecideTurn;
}

/** A message that was taken as an answer. */
export interface AnsweredInChat {
  message_number: number;
  rings: Ring[];
  /** The question of a task, which is still to be answered with it. */
  question: Approval | null;
}

/**
 * Takes a plain yes or no for the answer to the one question that the conversation waits for. Null
 * when it waits for none, or for several, of which any could be meant.
 */
export async function answerInChat(
  client: pg.ClientBase,
  params: ChatAnswer,
): Promise<AnsweredInChat | null> {
  const { session, turn } = params;
  if (turn.status !== 'awaiting_approval' && turn.status !== 'awaiting_task') return null;
  const [question, another] = await readSessionQuestions(client, session);
  if (question === undefined || another !== undefined) return null;
  const said: ChatMessage = { role: 'user', content: params.content };
  const message: SessionLine = { kind: 'message', turn_id: turn.id, message: said };
  if (question.task_id === null) return answerTurn(client, params, question, message);
  const [number] = await appendToSessions(client, [{ session, lines: [message], tokens: 0 }]);
  return { message_number: number ?? 0, rings: [], question };
}

async function answerTurn(
  client: pg.ClientBase,
  { session, turn, decision, actor: by, decide }: ChatAnswer,
  question: Approval,
  message: SessionLine,
): Promise<AnsweredInChat> {
  const answer = { decision, by, reason: null, arguments: null };
  const event = await writeAnswer(client, question, answer);
  const lines: SessionLine[] = [message, { kind: 'event', event, turn_id: turn.id, task_id: null }];
  const input = { kind: 'answered' } as const;
  const { rings, numbers } = await applyTurnInput({ client, decide, session, turn, input, lines });
  return { message_number: numbers[0] ?? 0, rings, question: null };
}
