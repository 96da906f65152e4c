import { AppError } from '@loom/shared/app-error';
import type { ApprovalDecision, ApprovalStatus } from '@loom/shared/approval';
import type { NewEvent } from '@loom/shared/events';
import type { Ring } from '@loom/shared/queues';
import type { DecideTurn } from '@loom/shared/turn-state';
import type pg from 'pg';
import { lockSession } from './accept-turn.ts';
import { appendToSessions, type SessionLine } from './append-to-sessions.ts';
import {
  type ApprovalRow,
  expireQuestions,
  readApproval,
  readSiblings,
  rememberTool,
  writeAnswer,
} from './turn-approvals.ts';
import { applyTurnInput, readTurn } from './turn-rows.ts';

interface TurnApprovalAnswer {
  tenant_id: string;
  approval_id: string;
  /** The session that the approval's row names; never changes, so it needs no lock to be read. */
  session_id: string;
  decision: ApprovalDecision;
  decide: DecideTurn;
  /** Whether such a call is asked about whatever was granted: then it is never remembered. */
  alwaysAsks(tool: string, args: unknown): boolean;
}

/** What came of an answer. Whatever the outcome, the transaction is to be committed. */
interface TurnApprovalOutcome {
  /** `late`: the time was over, which is now written down. `decided_before`: someone was first. */
  outcome: 'decided' | 'late' | 'decided_before';
  status: ApprovalStatus;
  decided_by: string | null;
  rings: Ring[];
  streams: string[];
}

/**
 * Answers a question that a turn has put, once: the turn goes on with it. The session is locked
 * here, before anything else, as by every writer of its turns. "Always for this session" answers
 * the turn's other open questions about the same tool too.
 */
export async function decideTurnApproval(
  client: pg.ClientBase,
  params: TurnApprovalAnswer,
): Promise<TurnApprovalOutcome> {
  const { tenant_id, session_id, approval_id, decision } = params;
  const session = await lockSession(client, tenant_id, session_id);
  const row = await readApproval(client, { id: approval_id, tenant_id, session_id });
  if (row === null) throw new AppError('not_found', `There is no approval ${approval_id}.`);
  if (row.status !== 'pending') {
    const { status, decided_by } = row;
    return { outcome: 'decided_before', status, decided_by, rings: [], streams: [] };
  }
  const events = row.overdue
    ? await expireQuestions(client, row.turn_id ?? '')
    : await answer(client, row, params);
  const lines = events.map(
    (event): SessionLine => ({ kind: 'event', event, turn_id: row.turn_id, task_id: null }),
  );
  const turn = await readTurn(client, row.turn_id ?? '');
  let rings: Ring[] = [];
  if (turn?.status === 'awaiting_approval') {
    const base = { client, decide: params.decide, session, turn, lines };
    ({ rings } = await applyTurnInput({ ...base, input: { kind: 'answered' } }));
  } else {
    // It is at work on what was decided earlier, and looks again before it parks.
    await appendToSessions(client, [{ session, lines, tokens: 0 }]);
  }
  const streams = [session_id];
  if (row.overdue) return { outcome: 'late', status: 'expired', decided_by: null, rings, streams };
  const status = decision.decision === 'approve' ? 'approved' : 'denied';
  return { outcome: 'decided', status, decided_by: decision.by, rings, streams };
}

async function answer(
  client: pg.ClientBase,
  row: ApprovalRow,
  { decision, session_id, alwaysAsks }: TurnApprovalAnswer,
): Promise<NewEvent[]> {
  const events = [await writeAnswer(client, row, decision)];
  const { tool } = row;
  if (!decision.remember || decision.decision === 'deny' || tool === null) return events;
  if (alwaysAsks(tool, row.arguments)) return events;
  await rememberTool(client, session_id, tool);
  for (const sibling of await readSiblings(client, row)) {
    if (alwaysAsks(tool, sibling.arguments)) continue;
    events.push(await writeAnswer(client, sibling, { ...decision, arguments: null }));
  }
  return events;
}
