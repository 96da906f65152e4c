import { plan, subtask } from '@loom/testing/builders';
import { fault, text } from '@loom/testing/scripted-model/replies';
import { promptSection } from '@loom/testing/scripted-model/request';
import { beforeEach, describe, expect, it } from 'vitest';
import { openPlanning } from './test-support/planning-scene.ts';

const { model, rows, beginTask } = await openPlanning();

beforeEach(() => model.reset());

const good = text(JSON.stringify(plan(subtask('a'), subtask('b'))));
const cyclic = text('{"subtasks": [{"id": "a", "description": "x", "depends_on": ["a"]}]}');
const limited = fault({ kind: 'status', status: 429, retryAfter: 7 });
const phases = [
  subtask('draft', { is_synthesis: true }),
  subtask('review', { depends_on: ['draft'] }),
];

describe('a first plan', () => {
  it('is stored with the answer, what it cost and what it means', async () => {
    model.once('planner', good);
    const task = await beginTask();
    await task.makePlan();
    expect(await task.task()).toMatchObject({
      status: 'running',
      plan_version: 1,
      model_calls: 1,
    });
    const row = await task.task();
    expect(Number(row?.tokens_used)).toBeGreaterThan(0);
    expect(Number(row?.cost_micros)).toBeGreaterThan(0);
    expect(Number(row?.cost_micros)).toBeLessThan(Number(row?.tokens_used));
    expect(await task.unit()).toMatchObject({ status: 'done' });
    expect(await task.events('model.call')).toMatchObject([{ role: 'planner', model: 'one' }]);
  });

  it('is asked for again with what is wrong, then refused with it', async () => {
    model.on('planner', cyclic);
    const task = await beginTask();
    await task.makePlan();
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.lastUserText).toContain('The plan cannot run:\n- a: ');
    expect(await task.task()).toMatchObject({ status: 'failed' });
    expect(await task.events('task.plan_rejected')).toMatchObject([
      { errors: [{ subtask_id: 'a', code: 'cycle' }] },
    ]);
  });

  it('does without a planner that is away, as the policy says', async () => {
    model.on('planner', fault({ kind: 'status', status: 503 }));
    const degraded = await beginTask();
    await degraded.makePlan();
    expect(await degraded.events('task.plan_degraded')).toHaveLength(1);
    const denied = await beginTask({ policy: { planner_degraded_mode: 'deny' } });
    await denied.makePlan();
    expect(await denied.task()).toMatchObject({
      status: 'failed',
      errors: [{ code: 'plan_unavailable' }],
    });
  });
});

describe('phases', () => {
  it('are the plan of a strict process, without a call', async () => {
    const strict = [subtask('draft'), subtask('review', { depends_on: ['draft'] })];
    const task = await beginTask({ policy: { phase_mode: 'strict', phases: strict } });
    await task.makePlan();
    expect(model.requests).toHaveLength(0);
    expect(
      await rows('SELECT spec FROM subtasks WHERE task_id = $1 ORDER BY position', [task.id]),
    ).toEqual(strict.map((spec) => ({ spec })));
  });

  it('of a strict process are never set right', async () => {
    const task = await beginTask({ policy: { phase_mode: 'strict', phases } });
    await task.makePlan();
    expect(await task.task()).toMatchObject({ status: 'failed' });
    expect(await task.events('task.plan_rejected')).toMatchObject([
      { errors: [{ subtask_id: 'review', code: 'depends_on_synthesis' }] },
    ]);
  });

  it('guide the planner, whose graph is set right', async () => {
    model.once(
      { role: 'planner', prompt: /^PHASES:$/m },
      text(JSON.stringify({ subtasks: phases })),
    );
    const task = await beginTask({ policy: { phase_mode: 'guided', phases } });
    await task.makePlan();
    expect(await task.task()).toMatchObject({ status: 'running', plan_version: 1 });
    expect(
      await rows(
        `SELECT spec->>'is_synthesis' AS synthesis FROM subtasks WHERE task_id = $1
        ORDER BY position`,
        [task.id],
      ),
    ).toEqual([{ synthesis: 'false' }, { synthesis: 'false' }]);
  });

  it('give a strict process without any two more tries', async () => {
    model.on('planner', cyclic);
    const task = await beginTask({ policy: { phase_mode: 'strict' } });
    await task.makePlan();
    expect(model.requests).toHaveLength(3);
  });
});

describe('a new version', () => {
  const old = plan(subtask('a'), subtask('b', { depends_on: ['a'] }));
  const requested = { kind: 'replan_requested', by: 'someone', reason: 'b is not needed' } as const;

  it('is made from the old plan and why it is in question', async () => {
    const wider = plan(...old.subtasks, subtask('c'));
    model.once({ role: 'planner', prompt: 'b is not needed' }, text(JSON.stringify(wider)));
    const task = await beginTask({ plan: old });
    await task.control(requested);
    await task.makePlan();
    const shown = promptSection(model.requests[0]?.prompt ?? '', 'PLAN') ?? '';
    expect(JSON.parse(shown)).toEqual(old);
    expect(await task.task()).toMatchObject({ plan_version: 2 });
    expect((await task.events('task.plan_ready')).at(-1)).toMatchObject({
      plan_version: 2,
      diff: { added: ['c'], changed: [], kept: ['a', 'b'] },
    });
  });

  it('that drops a subtask is asked for again with its id', async () => {
    const narrower = text(JSON.stringify(plan(subtask('a'))));
    model.once('planner', narrower);
    model.once({ lastUser: '- b: ' }, text(JSON.stringify(old)));
    const task = await beginTask({ plan: old });
    await task.control(requested);
    await task.makePlan();
    expect(await task.task()).toMatchObject({ plan_version: 2 });

    model.on('planner', narrower);
    const stubborn = await beginTask({ plan: old });
    await stubborn.control(requested);
    await stubborn.makePlan();
    expect(await stubborn.task()).toMatchObject({ plan_version: 1, status: 'running' });
    expect(await stubborn.events('task.plan_rejected')).toMatchObject([
      { errors: [{ subtask_id: 'b', code: 'dropped' }] },
    ]);
  });

  it('of strict phases is made without a call', async () => {
    const policy = { phase_mode: 'strict', phases: old.subtasks } as const;
    const task = await beginTask({ policy, plan: old });
    await task.control(requested);
    await task.makePlan();
    expect(model.requests).toHaveLength(0);
    expect(await task.task()).toMatchObject({ plan_version: 2 });
  });

  it('takes guidance in and says so once', async () => {
    const task = await beginTask({ plan: old });
    const steer = (id: string, subtask_id: string | null) =>
      task.control({
        kind: 'steer_requested',
        guidance: { id, guidance: `Mind ${id}.`, subtask_id },
        by: 'someone',
      });
    await steer('st_1', null);
    await steer('st_2', 'a');
    model.on('planner', text(JSON.stringify(old)));
    await task.makePlan();
    const heard = { receipt_id: 'st_1', by: 'planner' };
    expect(model.requests[0]?.prompt).toContain('- Mind st_1.\n- for a: Mind st_2.');
    expect(await task.events('task.steer_acknowledged')).toEqual([heard]);

    await steer('st_3', null);
    await task.makePlan();
    expect(await task.events('task.steer_acknowledged')).toEqual([
      heard,
      { receipt_id: 'st_3', by: 'planner' },
    ]);
  });
});

describe('a model that asks for patience', () => {
  it('gets it without a worker, and is asked again afterwards', async () => {
    model.once('planner', limited);
    model.once('planner', good);
    const task = await beginTask();
    await task.makePlan();
    expect(await task.unit()).toMatchObject({ status: 'parked', parked_for: 'model', seconds: 7 });
    expect(await task.events('model.parked')).toMatchObject([
      { reason: 'model_rate_limited', seconds: 7, role: 'planner', model: 'one' },
    ]);
    expect(await task.task()).toMatchObject({ status: 'planning', plan_version: 0 });
    await task.claim();
    await task.makePlan();
    expect(await task.task()).toMatchObject({ status: 'running', plan_version: 1 });
  });

  it('is left alone longer each time it names no time', async () => {
    model.on('planner', fault({ kind: 'status', status: 429 }));
    const task = await beginTask();
    for (const seconds of [5, 10, 20]) {
      await task.makePlan();
      expect(await task.unit()).toMatchObject({ status: 'parked', seconds });
      await task.claim();
    }
  });

  it('is given up when it has asked for too much of it', async () => {
    model.on('planner', limited);
    const task = await beginTask();
    await task.makePlan({ max_parked_seconds: 10 });
    expect(await task.unit()).toMatchObject({ status: 'parked' });
    await task.claim();
    await task.makePlan({ max_parked_seconds: 10 });
    expect(await task.events('task.plan_degraded')).toHaveLength(1);
    expect(await task.events('model.parked')).toHaveLength(1);
  });
});

describe('a planner that has more to ask', () => {
  it('parks when the task was paused, and goes on with what it had', async () => {
    model.once('planner', cyclic);
    const gate = model.hold('planner');
    const task = await beginTask();
    const made = task.makePlan();
    await gate.arrived;
    await task.control({ kind: 'pause_requested', subtask_id: null, by: 'someone' });
    gate.release();
    await made;
    expect(await task.unit()).toMatchObject({ status: 'parked', parked_for: 'pause' });

    model.once({ lastUser: 'The plan cannot run' }, good);
    await task.control({ kind: 'resume_requested', subtask_id: null, by: 'someone', limits: null });
    await task.claim();
    await task.makePlan();
    expect(await task.task()).toMatchObject({ plan_version: 1 });
    expect(model.requests).toHaveLength(2);
  });

  it('asks no more once the task is to stop', async () => {
    model.once('planner', cyclic);
    const gate = model.hold('planner');
    const task = await beginTask({ plan: plan(subtask('a')) });
    await task.claim('subtasks');
    await task.control({ kind: 'replan_requested', by: 'someone', reason: '' });
    const made = task.makePlan();
    await gate.arrived;
    await task.control({ kind: 'stop_requested', mode: 'cancel', by: 'someone' });
    gate.release();
    await made;
    expect(model.requests).toHaveLength(1);
    expect(await task.unit()).toMatchObject({ status: 'done' });
    expect(await task.task()).toMatchObject({ status: 'running', plan_version: 1 });
  });

  it('makes no call that the budget refuses', async () => {
    model.on('planner', cyclic);
    const task = await beginTask({ budget: { max_model_calls: 1 } });
    await task.makePlan();
    expect(model.requests).toHaveLength(1);
    expect(await task.task()).toMatchObject({ status: 'failed', model_calls: 1 });
    expect(await task.events('task.budget_exhausted')).toMatchObject([
      { budget: 'max_model_calls', scope: 'task', limit: 1 },
    ]);
    const enough = await beginTask({ budget: { max_model_calls: 2 } });
    await enough.makePlan();
    expect(model.requests).toHaveLength(3);
  });

  it('parks when the budget pauses the task, and goes on when it is raised', async () => {
    model.once('planner', cyclic);
    const budget = { max_model_calls: 1 };
    const task = await beginTask({ budget, policy: { on_budget: 'pause' } });
    await task.makePlan();
    expect(model.requests).toHaveLength(1);
    expect(await task.unit()).toMatchObject({ status: 'parked', parked_for: 'pause' });
    model.once({ lastUser: 'The plan cannot run' }, good);
    const limits = { max_model_calls: 2 };
    await task.control({ kind: 'resume_requested', subtask_id: null, by: 'someone', limits });
    await task.claim();
    await task.makePlan();
    expect(await task.task()).toMatchObject({ plan_version: 1, model_calls: 2 });
  });
});
