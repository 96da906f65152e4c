import { planSubtaskSchema } from '@loom/shared/plan';
import type { ClaimedUnit } from '@loom/shared/work';
import { createTestDatabase } from '@loom/testing/test-database';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadModelWait } from './load-model-wait.ts';
import { loadPlanBrief } from './load-plan-brief.ts';

const { database: db, rows } = await createTestDatabase();
await rows(`INSERT INTO tenants (id) VALUES ('default')`);

let made = 0;
let task = '';

/** A task that waits for its first plan. */
beforeEach(async () => {
  made += 1;
  task = `task_${made}`;
  await rows(
    `INSERT INTO tasks (id, tenant_id, goal, context, workspace, status, plan_attempts, max_parallel)
      VALUES ($1, 'default', 'Write a.md', '{"style": "short"}', '/w', 'planning', 1, 5)`,
    [task],
  );
  await rows(
    `INSERT INTO units (id, tenant_id, queue, status, epoch, task_id, attempt)
      VALUES ($1, 'default', 'plans', 'claimed', 1, $2, 1)`,
    [`${task}._plan.1`, task],
  );
});

const unit = (overrides: Partial<ClaimedUnit> = {}): ClaimedUnit => ({
  unit_id: `${task}._plan.1`,
  epoch: 1,
  queue: 'plans',
  tenant_id: 'default',
  task_id: task,
  subtask_id: null,
  attempt: 1,
  session_id: null,
  turn_id: null,
  metered: false,
  ...overrides,
});

const setCourse = (course: object) =>
  rows('UPDATE tasks SET course = $2, plan_version = 1 WHERE id = $1', [task, course]);

async function addEvent(type: string, data: object, place: object = {}): Promise<void> {
  const { subtask_id = null, attempt = null } = place as Partial<ClaimedUnit>;
  await rows(
    `INSERT INTO events (task_id, seq, tenant_id, type, subtask_id, attempt, data)
      SELECT $1, 1 + count(*), 'default', $2, $3, $4, $5 FROM events WHERE task_id = $1`,
    [task, type, subtask_id, attempt, data],
  );
}

test('a task that has just begun is its goal and its policy', async () => {
  expect(await loadPlanBrief(db, unit())).toEqual({
    goal: 'Write a.md',
    context: { style: 'short' },
    workspace: '/w',
    plan_version: 0,
    plan_attempts: 1,
    policy: expect.objectContaining({ planner_degraded_mode: 'allow', phase_mode: null }),
    replan: null,
    guidance: [],
    acknowledged: [],
    discoveries: [],
    errors: [],
    subtasks: [],
    stopping: false,
    pausing: false,
    model_parks: 0,
  });
});

test('a task under way is its state, what came to light and why the plan is in question', async () => {
  const spec = (id: string) => planSubtaskSchema.parse({ id, description: `Write ${id}.md` });
  const error = { code: 'check_failed', message: 'make must exit with 0', subtask_id: 'b' };
  await rows(
    `INSERT INTO subtasks (task_id, id, tenant_id, position, spec, status, attempts, summary, error, feedback)
      VALUES ($1, 'b', 'default', 1, $2, 'failed', 3, 'Tried.', $4, 'Use tabs.'),
        ($1, 'a', 'default', 0, $3, 'completed', 1, 'Wrote a.md.', NULL, NULL)`,
    [task, spec('b'), spec('a'), error],
  );
  await rows('UPDATE tasks SET errors = $2 WHERE id = $1', [task, JSON.stringify([error])]);
  await rows('UPDATE units SET model_parks = 2 WHERE task_id = $1', [task]);
  const guidance = [{ id: 'st_1', guidance: 'Be brief.', subtask_id: null }];
  const discoveries = [{ subtask_id: 'a', summary: 'The compiler is missing.' }];
  const replan = { reason: 'subtask_failed', detail: 'b failed', next: 'steered' };
  await setCourse({ replan, guidance, discoveries });
  expect(await loadPlanBrief(db, unit())).toMatchObject({
    plan_version: 1,
    replan: { reason: 'subtask_failed', detail: 'b failed' },
    guidance,
    discoveries,
    errors: [error],
    subtasks: [
      { spec: spec('a'), status: 'completed', attempts: 1, summary: 'Wrote a.md.', error: null },
      { spec: spec('b'), status: 'failed', attempts: 3, error, feedback: 'Use tabs.' },
    ],
    model_parks: 2,
  });
});

test('guidance that a planner took in is known by its receipt', async () => {
  await addEvent('task.steer_acknowledged', { receipt_id: 'st_1', by: 'planner' });
  await addEvent('task.steer_acknowledged', { receipt_id: 'st_2', subtask_id: 'a' });
  expect(await loadPlanBrief(db, unit())).toMatchObject({ acknowledged: ['st_1'] });
});

test('a task that is to stop or to pause says so', async () => {
  await setCourse({ paused: { by: 'someone', reason: 'request' } });
  expect(await loadPlanBrief(db, unit())).toMatchObject({ pausing: true, stopping: false });
  await rows(`UPDATE tasks SET cancel_mode = 'cancel' WHERE id = $1`, [task]);
  expect(await loadPlanBrief(db, unit())).toMatchObject({ stopping: true });
});

test('another tenant’s task, or one that is gone, is none', async () => {
  expect(await loadPlanBrief(db, unit({ tenant_id: 'other' }))).toBeNull();
  expect(
    await loadPlanBrief(db, unit({ unit_id: 'task_0._plan.1', task_id: 'task_0' })),
  ).toBeNull();
});

describe('time waited for a model', () => {
  const parked = (seconds: number, role: string, place: object) =>
    addEvent('model.parked', { seconds, role }, place);

  test('is counted for each attempt and role apart', async () => {
    await parked(5, 'planner', { attempt: 1 });
    await parked(1.5, 'planner', { attempt: 1 });
    await parked(7, 'planner', { attempt: 2 });
    await parked(20, 'verifier', { subtask_id: 'a', attempt: 1 });
    await parked(40, 'executor', { subtask_id: 'a', attempt: 1 });
    expect(await loadModelWait(db, unit(), 'planner')).toBe(6.5);
    const verification = unit({ queue: 'verifications', subtask_id: 'a' });
    expect(await loadModelWait(db, verification, 'verifier')).toBe(20);
    expect(await loadModelWait(db, unit({ attempt: 3 }), 'planner')).toBe(0);
    expect(await loadModelWait(db, unit({ tenant_id: 'other' }), 'planner')).toBe(0);
  });
});
