import { planSchema } from '@loom/shared/plan';
import type { LedgerEntry, WorkSigns } from '@loom/shared/work';
import { newTask } from '@loom/testing/builders';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createIntake } from './intake.ts';
import { startWorker, type UnitHandlers } from './start-worker.ts';
import { caller, easyHandlers, openWorld } from './test-support/runtime-world.ts';

type World = Awaited<ReturnType<typeof openWorld>>;
let world: World;
let stop: (() => Promise<void>) | null = null;

beforeAll(async () => {
  world = await openWorld();
});
afterEach(async () => {
  await stop?.();
  stop = null;
});
afterAll(() => world.drop());

async function start(handlers: UnitHandlers, memory = { extraction_enabled: false }) {
  const { runtime, close } = await world.openRuntime(4, {}, { memory });
  const worker = startWorker(runtime, { ...easyHandlers([]), ...handlers });
  stop = async () => {
    await worker.stop();
    await close();
  };
  return runtime;
}

const entry = (fields: Partial<LedgerEntry>): LedgerEntry => ({
  key: '',
  tool: 'send',
  effect: 'effectful',
  arguments: {},
  status: 'done',
  result: '',
  exit_code: null,
  changes: [],
  ...fields,
});

const twoSubtasks = planSchema.parse({
  subtasks: [
    { id: 'a', description: 'a' },
    { id: 'b', description: 'b' },
  ],
});
const oneSubtask = planSchema.parse({
  subtasks: [{ id: 'a', description: 'a', max_retries: 0 }],
});
const done = {
  kind: 'attempt_done' as const,
  summary: 'done',
  files_changed: [] as string[],
  discoveries: [] as string[],
};

/** A promise and what settles it. */
function signal() {
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { settled, settle };
}

test('what one subtask found, its sibling hears with its next write, and never its own', async () => {
  const found = signal();
  const heard: Record<string, WorkSigns['discoveries']> = {};
  const ledger = [
    entry({ tool: 'record_discovery', effect: 'read', arguments: { summary: 'there is a v2' } }),
  ];
  const runtime = await start({
    subtasks: async ({ subtask_id, attempt, unit_id }, context) => {
      const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
      if (subtask_id === 'a') {
        const own = ledger.map((line) => ({ ...line, key: `${unit_id}/0/0` }));
        heard.a = (await context.commit({ ledger: own })).discoveries;
        found.settle();
      } else {
        await found.settled;
        heard.b = (await context.commit({})).discoveries;
      }
      // The end of an attempt reads its discoveries from the ledger: they are known by then.
      const discoveries = subtask_id === 'a' ? ['there is a v2'] : [];
      await context.commit({ input: { ...done, ...ref, discoveries } });
    },
  });
  const input = newTask({ plan: twoSubtasks });
  const { body } = await createIntake(runtime).createTask(caller, input, null);
  await world.untilEnded(runtime, [body.id]);
  expect(heard).toEqual({ a: [], b: [{ subtask_id: 'a', summary: 'there is a v2' }] });
  const [task] = await world.rows('SELECT course FROM tasks WHERE id = $1', [body.id]);
  expect(task).toMatchObject({ course: { discoveries: heard.b } });
});

test.each([
  ['completed', null],
  ['failed', { code: 'tool_failed', message: 'no' }],
])('a call in doubt stands in the summary of a task that %s', async (status, failure) => {
  const runtime = await start({
    subtasks: async ({ subtask_id, attempt, unit_id }, context) => {
      const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
      const doubtful = { key: `${unit_id}/0/0`, arguments: { command: 'pay\nnow' } };
      await context.commit({ ledger: [entry({ ...doubtful, status: 'in_doubt' })] });
      await context.commit({
        input: failure === null ? { ...done, ...ref } : { kind: 'attempt_failed', ...ref, failure },
      });
    },
    plans: async ({ attempt }, context) => {
      const input = { kind: 'plan_unavailable', attempt: attempt ?? 0, reason: 'none' } as const;
      await context.commit({ input });
    },
  });
  const input = newTask({ plan: oneSubtask });
  const { body } = await createIntake(runtime).createTask(caller, input, null);
  await world.untilEnded(runtime, [body.id]);
  const [task] = await world.rows<{ status: string; summary: string }>(
    'SELECT status, summary FROM tasks WHERE id = $1',
    [body.id],
  );
  expect(task?.status).toBe(status);
  expect(task?.summary).toContain(
    'In doubt (it is not known whether these calls took effect):\n  - a: send pay\n',
  );
});

const extractions = (taskId: string) =>
  world.rows(`SELECT id, status FROM units WHERE task_id = $1 AND queue = 'deliveries'`, [taskId]);

test('a subtask that failed for good is learnt from, unless nobody wants that', async () => {
  const subtasks: UnitHandlers['subtasks'] = async ({ subtask_id, attempt }, context) => {
    const ref = { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
    const failure = { code: 'tool_failed', message: 'no' };
    await context.commit({ input: { kind: 'attempt_failed', ...ref, failure } });
  };
  const plan = planSchema.parse({
    subtasks: [{ id: 'a', description: 'a', max_retries: 0, is_critical_path: true }],
  });
  const run = async (extraction_enabled: boolean) => {
    const runtime = await start({ subtasks }, { extraction_enabled });
    const { body } = await createIntake(runtime).createTask(caller, newTask({ plan }), null);
    await world.untilEnded(runtime, [body.id]);
    await stop?.();
    stop = null;
    return body.id;
  };
  const learning = await run(true);
  expect(await extractions(learning)).toEqual([{ id: `mem_${learning}.a.1`, status: 'waiting' }]);
  expect(await extractions(await run(false))).toEqual([]);
});

test('a result that a person accepted is learnt from as well', async () => {
  const runtime = await start({}, { extraction_enabled: true });
  const intake = createIntake(runtime);
  const input = newTask({ plan: oneSubtask, approval_mode: 'manual' });
  const { body } = await intake.createTask(caller, input, null);
  await world.untilEvent(runtime, body.id, 'approval.requested');
  const [asked] = await world.rows<{ id: string }>('SELECT id FROM approvals WHERE task_id = $1', [
    body.id,
  ]);
  expect(await extractions(body.id)).toEqual([]);
  await intake.decideApproval(caller, asked?.id ?? '', { decision: 'approve', scope: 'once' });
  await world.untilEnded(runtime, [body.id]);
  expect(await extractions(body.id)).toEqual([{ id: `mem_${body.id}.a.1`, status: 'waiting' }]);
});
