import { planSchema } from '@loom/shared/plan';
import type { ClaimedUnit } from '@loom/shared/work';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from './create-runtime.ts';
import { createIntake } from './intake.ts';
import { startWorker, type UnitHandlers } from './start-worker.ts';
import { caller, easyHandlers, onePlan, openWorld } from './test-support/runtime-world.ts';
import type { UnitContext } from './unit-context.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.drop());

type SubtaskHandler = (unit: ClaimedUnit, context: UnitContext) => Promise<void>;

/** A process with a worker, on the world's database. */
async function openProcess(
  handlers: UnitHandlers,
  settings: Record<string, unknown> = {},
  sections: Record<string, unknown> = {},
) {
  const { runtime, close } = await world.openRuntime(4, settings, sections);
  const worker = startWorker(runtime, handlers);
  const stop = async () => {
    await worker.stop();
    await close();
  };
  return { runtime, intake: createIntake(runtime), stop };
}

/** A promise and the way to keep it. */
function latch() {
  let resolve = () => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

/** The easy handlers, with an executor of one's own. */
function handlersWith(subtasks: SubtaskHandler, more: UnitHandlers = {}): UnitHandlers {
  return { ...easyHandlers([]), subtasks, ...more };
}

function refOf({ subtask_id, attempt }: ClaimedUnit) {
  return { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
}

async function succeed(unit: ClaimedUnit, context: UnitContext): Promise<void> {
  const input = { kind: 'attempt_done', ...refOf(unit), summary: 'done' } as const;
  await context.commit({ input: { ...input, files_changed: [], discoveries: [] } });
}

async function failWith(unit: ClaimedUnit, context: UnitContext, message: string): Promise<void> {
  const failure = { code: 'tool_failed', message };
  await context.commit({ input: { kind: 'attempt_failed', ...refOf(unit), failure } });
}

async function createPlanned(runtime: Runtime, fields: Parameters<typeof newTask>[0] = {}) {
  const task = newTask({ plan: onePlan('x'), ...fields });
  const { body } = await createIntake(runtime).createTask(caller, task, null);
  return body.id;
}

const unitOf = async (taskId: string) => {
  const [unit] = await world.rows<{ status: string; parked_for: string | null }>(
    `SELECT status, parked_for FROM units WHERE task_id = $1 AND queue = 'subtasks'`,
    [taskId],
  );
  return unit;
};

test('an approval outlives the process that asked, and the attempt goes on elsewhere', async () => {
  const asking = await openProcess(
    handlersWith(async (unit, context) => {
      await context.commit({
        journal: [{ role: 'assistant', content: 'may I?' }],
        input: {
          kind: 'approval_requested',
          ...refOf(unit),
          call_key: `${unit.unit_id}/0/0`,
          tool: 'shell_execute',
          arguments: { command: 'rm -rf build' },
          reason: 'It deletes directories.',
        },
        park: { reason: 'approval', seconds: null },
      });
    }),
  );
  const id = await createPlanned(asking.runtime);
  await world.untilEvent(asking.runtime, id, 'approval.requested');
  expect(await world.statusOf(id)).toBe('awaiting_confirmation');
  expect(await unitOf(id)).toEqual({ status: 'parked', parked_for: 'approval' });
  await asking.stop();

  const seen: number[] = [];
  const going = await openProcess(
    handlersWith(async (unit, context) => {
      seen.push(unit.epoch);
      await succeed(unit, context);
    }),
  );
  const [approval] = await world.rows<{ id: string }>(
    'SELECT id FROM approvals WHERE task_id = $1',
    [id],
  );
  const answer = { decision: 'approve', scope: 'once' } as const;
  const decided = await going.intake.decideApproval(caller, approval?.id ?? '', answer);
  expect(decided).toMatchObject({ status: 'approved', decided_by: caller.actor });
  await world.untilEnded(going.runtime, [id]);
  expect(seen).toEqual([2]);
  expect(await world.statusOf(id)).toBe('completed');
  const events = await world.eventTypes(id);
  expect(events).toContain('subtask.resumed');
  expect(events).not.toContain('run.recovered');
  // A second decision learns of the first.
  await expect(
    going.intake.decideApproval(caller, approval?.id ?? '', { ...answer, decision: 'deny' }),
  ).rejects.toMatchObject({ code: 'conflict', details: { status: 'approved' } });
  await going.stop();
});

test('nobody answers: the approval expires by itself, also when its process is gone', async () => {
  const sections = { approval: { timeout_seconds: 0.5 } };
  const asking = await openProcess(
    handlersWith(async (unit, context) => {
      await context.commit({
        input: {
          kind: 'approval_requested',
          ...refOf(unit),
          call_key: 'k',
          tool: 't',
          arguments: {},
          reason: 'why',
        },
        park: { reason: 'approval', seconds: null },
      });
    }),
    {},
    sections,
  );
  const id = await createPlanned(asking.runtime);
  await world.untilEvent(asking.runtime, id, 'approval.requested');
  await asking.stop();
  const going = await openProcess(handlersWith(succeed), {}, sections);
  await world.untilEnded(going.runtime, [id]);
  expect(await world.eventTypes(id)).toContain('approval.expired');
  const rows = await world.rows('SELECT status FROM approvals WHERE task_id = $1', [id]);
  expect(rows).toEqual([{ status: 'expired' }]);
  await going.stop();
});

test('a paused task parks at the next boundary and resumes in another process', async () => {
  const reached = latch();
  const paused = latch();
  const first = await openProcess(
    handlersWith(async (_unit, context) => {
      reached.resolve();
      await paused.promise;
      const { pausing } = await context.commit({
        journal: [{ role: 'assistant', content: 'half' }],
      });
      expect(pausing).toBe(true);
      await context.commit({ park: { reason: 'pause', seconds: null } });
    }),
  );
  const id = await createPlanned(first.runtime);
  await reached.promise;
  await first.intake.pauseTask(caller, id, null);
  await first.intake.pauseTask(caller, id, null);
  paused.resolve();
  await first.stop();
  expect(await world.statusOf(id)).toBe('paused');
  expect(await unitOf(id)).toEqual({ status: 'parked', parked_for: 'pause' });

  const second = await openProcess(handlersWith(succeed));
  await second.intake.resumeTask(caller, id, { subtask_id: null, limits: null });
  await world.untilEnded(second.runtime, [id]);
  expect(await world.statusOf(id)).toBe('completed');
  const events = await world.eventTypes(id);
  expect(events.filter((type) => type === 'task.paused')).toHaveLength(1);
  await second.stop();
});

test('the ladder of tiers goes on where the last process left it', async () => {
  let tries = 0;
  const first = await openProcess(
    handlersWith(async (unit, context) => {
      tries += 1;
      // The third attempt is left to the next process.
      if (tries === 3) {
        const events = [{ type: 'model.parked', data: {} } as const];
        await context.commit({ events, park: { reason: 'model', seconds: 1 } });
      } else await failWith(unit, context, `broke in way ${'x'.repeat(tries)}`);
    }),
  );
  const id = await createPlanned(first.runtime, { approval_mode: 'disabled' });
  await world.untilEvent(first.runtime, id, 'model.parked');
  await first.stop();
  const second = await openProcess(
    handlersWith(async (unit, context) =>
      unit.attempt === 3
        ? failWith(unit, context, 'broke in yet another way')
        : succeed(unit, context),
    ),
  );
  await world.untilEnded(second.runtime, [id]);
  const rows = await world.rows<{ tier: number }>(
    'SELECT tier FROM attempts WHERE task_id = $1 ORDER BY number',
    [id],
  );
  expect(rows.map(({ tier }) => tier)).toEqual([1, 1, 2, 3]);
  await second.stop();
});

test('a remediation is due work: whoever runs when its time comes does it', async () => {
  const plan = planSchema.parse({
    subtasks: [{ id: 'x', description: 'x', is_critical_path: true, max_retries: 0 }],
  });
  const sections = { verification: { remediation_queue_backoff_seconds: 1 } };
  const first = await openProcess(
    handlersWith((unit, context) => failWith(unit, context, 'no luck')),
    {},
    sections,
  );
  const id = await createPlanned(first.runtime, {
    plan,
    critical_path_behavior: 'queue_follow_up',
  });
  await world.untilEvent(first.runtime, id, 'remediation.queued');
  await first.stop();
  expect(await world.statusOf(id)).toBe('running');
  const second = await openProcess(handlersWith(succeed), {}, sections);
  await world.untilEnded(second.runtime, [id]);
  expect(await world.statusOf(id)).toBe('completed');
  expect(await world.eventTypes(id)).toEqual(
    expect.arrayContaining(['remediation.attempted', 'remediation.resolved']),
  );
  await second.stop();
});

test('a failed subtask is planned anew, and only it runs again', async () => {
  const plan = planSchema.parse({
    subtasks: [
      { id: 'good', description: 'good' },
      { id: 'bad', description: 'bad', max_retries: 0 },
    ],
  });
  const better = planSchema.parse({
    subtasks: [
      { id: 'good', description: 'good' },
      { id: 'help', description: 'help' },
      { id: 'bad', description: 'another way', depends_on: ['help'] },
    ],
  });
  const ran: string[] = [];
  const one = await openProcess(
    handlersWith(
      async (unit, context) => {
        ran.push(`${unit.subtask_id} ${unit.attempt}`);
        if (unit.subtask_id === 'bad' && unit.attempt === 1) {
          await failWith(unit, context, 'the way is blocked');
        } else await succeed(unit, context);
      },
      {
        plans: async ({ attempt }, context) => {
          await context.commit({
            input: { kind: 'plan_made', attempt: attempt ?? 0, plan: better },
          });
        },
      },
    ),
  );
  const id = await createPlanned(one.runtime, { plan });
  await world.untilEnded(one.runtime, [id]);
  expect(await world.statusOf(id)).toBe('completed');
  expect(ran.sort()).toEqual(['bad 1', 'bad 2', 'good 1', 'help 1']);
  const plans = await world.rows<{ version: number; reason: string; diff: unknown }>(
    'SELECT version, reason, diff FROM plans WHERE task_id = $1 ORDER BY version',
    [id],
  );
  expect(plans).toMatchObject([
    { version: 1, reason: 'first plan' },
    {
      version: 2,
      reason: 'subtask_failed',
      diff: { added: ['help'], changed: ['bad'], kept: ['good'] },
    },
  ]);
  await one.stop();
});
