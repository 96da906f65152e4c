import { decideTurn } from '@loom/engine/decide-turn';
import type { ApprovalDecision } from '@loom/shared/approval';
import { newId } from '@loom/shared/ids';
import { lockSession } from '../accept-turn.ts';
import { decideTurnApproval } from '../decide-turn-approval.ts';
import { inTransaction } from '../transaction.ts';
import type { TurnQuestion } from '../turn-approvals.ts';
import { applyTurnInput, readTurn } from '../turn-rows.ts';
import type { OwnedTurn, TurnWorld } from './turn-world.ts';

/** How long people have to answer in these tests. */
export const timeout_seconds = 100;

/** A call that needs someone's consent. */
export const question = (key: string, tool = 'write_file', args: unknown = { path: 'a' }) => ({
  id: newId('apr'),
  call_key: key,
  tool,
  arguments: args,
  reason: `${tool} changes something`,
});

/** Questions of a world's turns, and what becomes of them; `.env` is never freed. */
export function questionsIn(world: TurnWorld) {
  /** Parks a turn for these questions and those it knows to be open. */
  const park = (turn: OwnedTurn, ask: TurnQuestion[], known_open = 0) =>
    world.commit(turn, {
      input: { kind: 'parked', on: 'approval' },
      questions: { ask, known_open, timeout_seconds },
    });

  /** A turn that waits for answers to these questions. */
  const asking = async (...questions: TurnQuestion[]): Promise<OwnedTurn> => {
    const turn = await world.begin(await world.newSession());
    await park(turn, questions);
    return turn;
  };

  const yes: ApprovalDecision = {
    decision: 'approve',
    by: 'key_me',
    reason: null,
    arguments: null,
    remember: false,
  };
  const decide = (
    { session_id }: OwnedTurn,
    { id }: TurnQuestion,
    decision: Partial<ApprovalDecision> = {},
    tenant_id = 'default',
  ) =>
    inTransaction(world.database, (client) =>
      decideTurnApproval(client, {
        tenant_id,
        approval_id: id,
        session_id,
        decision: { ...yes, ...decision },
        decide: decideTurn,
        alwaysAsks: (_tool, args) => JSON.stringify(args).includes('.env'),
      }),
    );

  const approval = async (id: string) =>
    (
      await world.rows<Record<string, unknown>>(
        `SELECT status, decided_by, decision_reason, decided_arguments, decided_at IS NOT NULL AS dated
          FROM approvals WHERE id = $1`,
        [id],
      )
    )[0];

  const eventsAbout = (session_id: string) =>
    world.rows<{ type: string; data: Record<string, unknown> }>(
      `SELECT type, data FROM session_events WHERE session_id = $1 AND type LIKE 'approval.%' ORDER BY seq`,
      [session_id],
    );

  const lapse = (id: string) =>
    world.rows(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);

  const grants = async (session_id: string) =>
    (
      await world.rows<{ grants: unknown }>('SELECT grants FROM sessions WHERE id = $1', [
        session_id,
      ])
    )[0]?.grants;

  const stop = ({ session_id, turn_id }: OwnedTurn) =>
    inTransaction(world.database, async (client) => {
      const session = await lockSession(client, 'default', session_id);
      const turn = await readTurn(client, turn_id);
      if (turn === null) throw new Error('no turn');
      const input = { kind: 'stop_requested', by: 'key_stop' } as const;
      return applyTurnInput({ client, decide: decideTurn, session, turn, input, lines: [] });
    });

  return { park, asking, decide, approval, eventsAbout, lapse, grants, stop };
}
