import { planSchema } from '@loom/shared/plan';
import type { ClaimedUnit } from '@loom/shared/work';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntake } from './intake.ts';
import { startWorker } from './start-worker.ts';
import { caller, easyHandlers, openWorld } from './test-support/runtime-world.ts';
import type { UnitContext } from './unit-context.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.drop());

const oneCall = {
  tokens: 10,
  cost_micros: 5,
  model_calls: 1,
  tool_calls: 0,
  mutating_tool_calls: 0,
};
const wantsCall = { model_calls: 1, tool_calls: 0, mutating_tool_calls: 0 };

/** An executor that makes three model calls and asks before each but the first, which its claim grants. */
function callingHandlers(calls: string[]) {
  return {
    ...easyHandlers([]),
    subtasks: async (unit: ClaimedUnit, context: UnitContext): Promise<void> => {
      const { subtask_id, attempt } = unit;
      const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
      for (let number = unit.epoch === 1 ? 0 : 3; number < 2; number++) {
        calls.push(unit.unit_id);
        const journal = [{ role: 'assistant', content: `${number}` } as const];
        const signs = await context.commit({
          journal,
          journal_from: number,
          spent: oneCall,
          wants: wantsCall,
        });
        if (signs.pausing)
          return void (await context.commit({ park: { reason: 'pause', seconds: null } }));
        if (!signs.granted) {
          const failure = { code: 'budget_exhausted', message: 'no more calls' };
          await context.commit({ input: { kind: 'attempt_failed', ...ref, failure } });
          return;
        }
      }
      calls.push(unit.unit_id);
      const input = { kind: 'attempt_done', ...ref, summary: 'done' } as const;
      await context.commit({
        spent: oneCall,
        input: { ...input, files_changed: [], discoveries: [] },
      });
    },
  };
}

const fivePlan = planSchema.parse({
  subtasks: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, description: id })),
});

async function openProcess(calls: string[]) {
  const { runtime, close } = await world.openRuntime(2);
  const worker = startWorker(runtime, callingHandlers(calls));
  const stop = async () => {
    await worker.stop();
    await close();
  };
  return { runtime, intake: createIntake(runtime), stop };
}

const spentBy = async (taskId: string) => {
  const [row] = await world.rows<{ model_calls: number; course: { holds?: object } | null }>(
    'SELECT model_calls, course FROM tasks WHERE id = $1',
    [taskId],
  );
  return { model_calls: row?.model_calls, holds: row?.course?.holds ?? {} };
};

test('two processes never take the last call twice; the budget names itself at the end', async () => {
  const calls: string[] = [];
  const [one, two] = [await openProcess(calls), await openProcess(calls)];
  const task = newTask({ plan: fivePlan, budget: { max_model_calls: 7 } });
  const { body } = await one.intake.createTask(caller, task, null);
  await world.untilEnded(one.runtime, [body.id]);
  expect(calls).toHaveLength(7);
  expect(await world.statusOf(body.id)).toBe('failed');
  expect(await spentBy(body.id)).toEqual({ model_calls: 7, holds: {} });
  const [event] = await world.rows<{ data: object }>(
    `SELECT data FROM events WHERE task_id = $1 AND type = 'task.budget_exhausted'`,
    [body.id],
  );
  expect(event?.data).toMatchObject({ budget: 'max_model_calls', scope: 'task', limit: 7 });
  await Promise.all([one.stop(), two.stop()]);
});

test("a session's budget is shared by its tasks, pauses them and is raised by an answer", async () => {
  const calls: string[] = [];
  const one = await openProcess(calls);
  const { body: session } = await one.intake.createSession(
    caller,
    { budget: { max_model_calls: 10 } },
    null,
  );
  const ids: string[] = [];
  for (let number = 0; number < 2; number++) {
    const task = newTask({ plan: fivePlan, session_id: session.id });
    ids.push((await one.intake.createTask(caller, task, null)).body.id);
  }
  for (const id of ids) await world.untilEvent(one.runtime, id, 'task.budget_exhausted');
  expect(calls).toHaveLength(10);
  await one.stop();

  // The process is gone; another takes the answers, and the work goes on where it stood.
  const two = await openProcess(calls);
  const questions = await world.rows<{ id: string }>(
    `SELECT id FROM approvals WHERE session_id = $1 AND status = 'pending' AND kind = 'budget'`,
    [session.id],
  );
  expect(questions).toHaveLength(2);
  for (const { id } of questions) {
    const args = { max_model_calls: 100 };
    await two.intake.decideApproval(caller, id, {
      decision: 'approve',
      scope: 'once',
      arguments: args,
    });
  }
  await world.untilEnded(two.runtime, ids);
  for (const id of ids) expect(await world.statusOf(id)).toBe('completed');
  const [scope] = await world.rows(
    'SELECT model_calls, model_calls_held FROM budgets WHERE id = $1',
    [session.id],
  );
  expect(scope).toEqual({ model_calls: calls.length, model_calls_held: 0 });
  await two.stop();
});

test('a task that runs out of time ends with what it has', async () => {
  const { runtime, close } = await world.openRuntime(2);
  const intake = createIntake(runtime);
  const worker = startWorker(runtime, {
    ...easyHandlers([]),
    subtasks: async (unit, context) => {
      const { subtask_id, attempt } = unit;
      let stopping = false;
      for (let number = 0; !stopping; number++) {
        const journal = [{ role: 'assistant', content: `${number}` } as const];
        ({ stopping } = await context.commit({ journal, journal_from: number }));
      }
      const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
      await context.commit({ input: { kind: 'attempt_cancelled', ...ref } });
    },
  });
  const task = newTask({ plan: fivePlan, budget: { max_seconds: 0.5 } });
  const { body } = await intake.createTask(caller, task, null);
  await world.untilEnded(runtime, [body.id]);
  const rows = await world.rows('SELECT status, errors FROM tasks WHERE id = $1', [body.id]);
  expect(rows).toMatchObject([{ status: 'failed', errors: [{ code: 'budget_exhausted' }] }]);
  await worker.stop();
  await close();
});
