import { acceptTurn, lockSession } from '@loom/db/accept-turn';
import { commitTaskInput } from '@loom/db/commit-tasks';
import { answerOnce } from '@loom/db/idempotency';
import { insertTask } from '@loom/db/insert-task';
import { insertSessionBudget, setSessionBudget } from '@loom/db/session-budget';
import { inTransaction, type Transaction } from '@loom/db/transaction';
import { applyTurnInput, readOpenTurns, readTurn } from '@loom/db/turn-rows';
import { endSession, insertSession } from '@loom/db/write-session';
import { decideTask } from '@loom/engine/decide-task';
import { decideTurn } from '@loom/engine/decide-turn';
import { AppError } from '@loom/shared/app-error';
import type { Approval } from '@loom/shared/approval';
import { newId } from '@loom/shared/ids';
import type { Caller, Intake, NewTask } from '@loom/shared/intake';
import type { Ring } from '@loom/shared/queues';
import { type PolicyWishes, taskPolicy } from '@loom/shared/task-policy';
import type { Runtime } from './create-runtime.ts';
import { decideApproval } from './decide-approval.ts';
import { decideTaskApproval } from './decide-task-approval.ts';
import { defaultLimits } from './default-limits.ts';
import { retryUnit } from './retry-unit.ts';
import { stopTasksOfTurn } from './stop-tasks-of-turn.ts';
import { taskControls } from './task-controls.ts';

/** The ways in: each commits first and rings afterwards. */
export function createIntake(runtime: Runtime): Intake {
  const { db, announce, bus, config } = runtime;

  const stopTurns = async (caller: Caller, ids: string[]): Promise<void> => {
    if (ids.length === 0) return;
    bus.publish({ kind: 'stop', ids, mode: 'cancel' });
    for (const id of ids) await stopTasksOfTurn(runtime, caller, id);
  };

  return {
    createSession: (caller, input, idempotency) =>
      inTransaction(db, (client) =>
        answerOnce(client, caller.tenant_id, idempotency, async () => {
          const id = newId('ses');
          const { tenant_id } = caller;
          const approval_mode = input.approval_mode ?? config.approval.mode;
          const session = await insertSession(client, {
            id,
            tenant_id,
            input: { ...input, approval_mode },
          });
          const limits = input.budget ?? {};
          await insertSessionBudget(client, { session_id: id, tenant_id, limits });
          return { status: 201, body: session };
        }),
      ),

    endSession: async (caller, sessionId) => {
      const stopped = await inTransaction(db, async (client) => {
        const session = await lockSession(client, caller.tenant_id, sessionId);
        const openTurns = await readOpenTurns(client, sessionId);
        for (const turn of openTurns) {
          const input = { kind: 'stop_requested', by: caller.actor } as const;
          await applyTurnInput({ client, decide: decideTurn, session, turn, lines: [], input });
        }
        await endSession(client, session);
        return openTurns.map(({ id }) => id);
      });
      await stopTurns(caller, stopped);
      announce({ rings: [], streams: [sessionId], stopped: [] });
    },

    acceptTurn: async (caller, session_id, input, idempotency) => {
      let rings: Ring[] = [];
      let interrupted: string[] = [];
      let decided: Decided[] = [];
      const accepted = await inTransaction(db, (client) =>
        answerOnce(client, caller.tenant_id, idempotency, async () => {
          const turn_id = newId('turn');
          const params = { ...caller, session_id, turn_id, input, decide: decideTurn };
          const acceptance = await acceptTurn(client, params);
          ({ rings, interrupted } = acceptance);
          const { decides } = acceptance;
          decided =
            decides === null ? [] : [await decideInChat(client, { runtime, caller, ...decides })];
          return { status: 202, body: acceptance.accepted };
        }),
      );
      await stopTurns(caller, interrupted);
      announce({ rings, streams: [session_id], stopped: [] });
      for (const { after } of decided) announce(after);
      return accepted;
    },

    cancelTurn: async (caller, sessionId, turnId) => {
      const rings = await inTransaction(db, async (client) => {
        const session = await lockSession(client, caller.tenant_id, sessionId);
        const turn = await readTurn(client, turnId);
        if (turn === null || turn.session_id !== sessionId) {
          throw new AppError('not_found', `There is no turn ${turnId} in this session.`);
        }
        const input = { kind: 'stop_requested', by: caller.actor } as const;
        const base = { client, decide: decideTurn, session, turn, lines: [] };
        return (await applyTurnInput({ ...base, input })).rings;
      });
      await stopTurns(caller, [turnId]);
      announce({ rings, streams: [sessionId], stopped: [] });
    },

    createTask: async (caller, input, idempotency) => {
      const { plan, ...asked } = input;
      const task = { ...asked, budget: { ...defaultLimits(config), ...asked.budget } };
      let after: Parameters<typeof announce>[0] | null = null;
      const accepted = await inTransaction(db, (client) =>
        answerOnce(client, caller.tenant_id, idempotency, async () => {
          const id = newId('task');
          const { tenant_id } = caller;
          await insertTask(client, task, {
            id,
            tenant_id,
            turn_id: null,
            tool_call_id: null,
            turn_waits: false,
            depth: 0,
            max_parallel: config.execution.max_parallel_subtasks,
            policy: taskPolicy(config, wishesOf(input)),
          });
          const created = { kind: 'created', plan } as const;
          const change = { kind: 'control', task_id: id, tenant_id, input: created } as const;
          ({ after } = await commitTaskInput(client, change, decideTask));
          return { status: 202, body: { id } };
        }),
      );
      if (after !== null) announce(after);
      return accepted;
    },

    ...taskControls(runtime),
    decideApproval: (caller, id, input) => decideApproval(runtime, caller, id, input),
    setSessionBudget: (caller, sessionId, limits) =>
      inTransaction(db, async (client) => {
        const { tenant_id } = caller;
        const { id: session_id } = await lockSession(client, tenant_id, sessionId);
        await setSessionBudget(client, { session_id, tenant_id, limits });
      }),
    retryUnit: (caller, unitId, via) => retryUnit(runtime, caller, unitId, via),
  };
}

type Decided = Awaited<ReturnType<typeof decideTaskApproval>>;

/** A message that answers a task's question does so together with being stored. */
function decideInChat(
  client: Transaction,
  answer: { runtime: Runtime; caller: Caller; question: Approval; decision: 'approve' | 'deny' },
): Promise<Decided> {
  const { question: asked, decision, ...rest } = answer;
  const input = { decision, scope: 'once' } as const;
  return decideTaskApproval(client, { ...rest, asked, task_id: asked.task_id ?? '', input });
}

function wishesOf(task: NewTask): PolicyWishes {
  return {
    ...(task.approval_mode === null ? {} : { approval_mode: task.approval_mode }),
    ...(task.phase_mode === null ? {} : { phase_mode: task.phase_mode }),
    ...(task.critical_path_behavior === null
      ? {}
      : { critical_path_behavior: task.critical_path_behavior }),
    phases: task.phases,
    in_session: task.session_id !== null,
  };
}
