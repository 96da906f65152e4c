import { planSubtaskSchema } from '@loom/shared/plan';
import { emptyTrail } from '@loom/shared/task-course';
import type { ClaimedUnit } from '@loom/shared/work';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { loadAttempt, loadDeeds } from './load-attempt.ts';
import { loadModelWait } from './load-model-wait.ts';

let db: TestDatabase;
let made = 0;
let task = '';

beforeAll(async () => {
  db = await createTestDatabase();
  await db.rows(`INSERT INTO tenants (id) VALUES ('default')`);
});

/** A running task of two subtasks; `a` is in its second attempt. */
beforeEach(async () => {
  made += 1;
  task = `task_${made}`;
  await db.rows(
    `INSERT INTO tasks (id, tenant_id, goal, status, max_parallel) VALUES ($1, 'default', 'g', 'running', 5)`,
    [task],
  );
  for (const [position, id] of ['a', 'b'].entries()) {
    await db.rows(
      `INSERT INTO subtasks (task_id, id, tenant_id, position, spec, status, attempts)
        VALUES ($1, $2, 'default', $3, $4, 'running', 2)`,
      [task, id, position, planSubtaskSchema.parse({ id, description: id })],
    );
  }
  for (const attempt of [1, 2]) {
    await db.rows(
      `INSERT INTO attempts (task_id, subtask_id, number, tenant_id, status, tier)
        VALUES ($1, 'a', $2, 'default', 'running', 1)`,
      [task, attempt],
    );
    await db.rows(
      `INSERT INTO units (id, tenant_id, queue, status, epoch, task_id, subtask_id, attempt)
        VALUES ($1, 'default', 'subtasks', 'claimed', 1, $2, 'a', $3)`,
      [`${task}.a.${attempt}`, task, attempt],
    );
  }
});

const unit = (overrides: Partial<ClaimedUnit> = {}): ClaimedUnit => ({
  unit_id: `${task}.a.2`,
  epoch: 2,
  queue: 'subtasks',
  tenant_id: 'default',
  task_id: task,
  subtask_id: 'a',
  attempt: 2,
  session_id: null,
  turn_id: null,
  metered: false,
  ...overrides,
});

const load = async (overrides: Partial<ClaimedUnit> = {}) => {
  const brief = await loadAttempt(db.database, unit(overrides));
  if (brief === null) throw new Error('no attempt');
  return brief;
};
const setCourse = (course: object) =>
  db.rows('UPDATE tasks SET course = $2 WHERE id = $1', [task, course]);
const setTrail = (trail: object) =>
  db.rows(`UPDATE subtasks SET trail = $2 WHERE task_id = $1 AND id = 'a'`, [task, trail]);

async function addCall(attempt: number, tool: string, overrides: object = {}): Promise<void> {
  const call = { files: [] as string[], args: {}, status: 'done', ...overrides };
  await db.rows(
    `INSERT INTO tool_calls (key, tenant_id, unit_id, task_id, subtask_id, attempt, tool, effect, arguments,
        status, files_changed) SELECT $1 || '/' || (SELECT count(*) FROM tool_calls), 'default', $1, $2, 'a', $3, $4,
        'idempotent', $5, $6, $7`,
    [`${task}.a.${attempt}`, task, attempt, tool, call.args, call.status, call.files],
  );
}

test('where nothing out of the ordinary happened, nothing is told', async () => {
  expect(await load({ attempt: 1, unit_id: `${task}.a.1`, epoch: 1 })).toMatchObject({
    trail: emptyTrail,
    files_changed_before: [],
    remediation: null,
    guidance: [],
    stopping: false,
    pausing: false,
    approval_policy: { mode: 'auto', on_timeout: 'deny', threshold: 0.8 },
    allowed_tools: [],
    approvals: [],
    parked_seconds: 0,
    model_parks: 0,
  });
});

test('another tenant’s attempt, or one that is gone, is none', async () => {
  const load = (overrides: Partial<ClaimedUnit>) => loadAttempt(db.database, unit(overrides));
  expect(await Promise.all([load({ tenant_id: 'other' }), load({ attempt: 9 })])).toEqual([
    null,
    null,
  ]);
});

test('what others found is told, what it found itself is not', async () => {
  const own = { subtask_id: 'a', summary: 'mine' };
  const other = { subtask_id: 'b', summary: 'theirs' };
  await setCourse({ discoveries: [own, other] });
  expect((await load()).discoveries).toEqual([other]);
});

test('guidance for all and for this subtask is told, that for others is not', async () => {
  const all = { id: 'st_1', guidance: 'all', subtask_id: null };
  const own = { id: 'st_2', guidance: 'own', subtask_id: 'a' };
  const other = { id: 'st_3', guidance: 'other', subtask_id: 'b' };
  await setCourse({ guidance: [all, own, other] });
  expect((await load()).guidance).toEqual([all, own]);
});

test.each([
  ['the task is cancelled', `UPDATE tasks SET cancel_mode = 'cancel' WHERE id = $1`],
  ['the task is aborted', `UPDATE tasks SET cancel_mode = 'abort' WHERE id = $1`],
  [
    'its time is over',
    `UPDATE tasks SET course = '{"exhausted": {"budget": "max_seconds"}}' WHERE id = $1`,
  ],
  ['the subtask was ended', `UPDATE subtasks SET status = 'skipped' WHERE task_id = $1`],
  ['the plan changed', `UPDATE subtasks SET trail = '{"superseded": true}' WHERE task_id = $1`],
])('an attempt is stopping when %s', async (_name, sql) => {
  await db.rows(sql, [task]);
  expect(await load()).toMatchObject({ stopping: true, pausing: false });
});

test('an attempt is pausing when its task is paused, or it alone is held', async () => {
  await setCourse({ paused: { by: 'key_1', reason: 'request' } });
  expect(await load()).toMatchObject({ pausing: true, stopping: false });
  await setCourse({});
  expect((await load()).pausing).toBe(false);
  await setTrail({ held: true });
  expect((await load()).pausing).toBe(true);
});

test('what earlier attempts left behind, and the files they changed', async () => {
  await setTrail({ strategy: 'evidence_gap', missing_targets: ['x'], confirmations: 1 });
  await addCall(1, 'write_file', { files: ['b.md', 'a.md'] });
  await addCall(1, 'edit_file', { files: ['a.md'] });
  await addCall(2, 'write_file', { files: ['now.md'] });
  const brief = await load();
  expect(brief.files_changed_before).toEqual(['a.md', 'b.md']);
  expect(brief.trail).toEqual({
    ...emptyTrail,
    strategy: 'evidence_gap',
    missing_targets: ['x'],
    confirmations: 1,
  });
});

test('only a remediation of this subtask that runs is this attempt’s', async () => {
  const item = (id: string, subtask_id: string, status: string) => ({ id, subtask_id, status });
  await setCourse({ remediations: [item('r1', 'b', 'running'), item('r2', 'a', 'resolved')] });
  expect((await load()).remediation).toBeNull();
  await setCourse({ remediations: [item('r1', 'b', 'running'), item('r3', 'a', 'running')] });
  expect((await load()).remediation).toMatchObject({ id: 'r3' });
});

test('tools are freed by the task and by its session, as long as that lasts', async () => {
  const session = `ses_${made}`;
  await db.rows(
    `INSERT INTO sessions (id, tenant_id, grants) VALUES ($1, 'default', '{"tools": ["edit_file", 7], "folders": []}')`,
    [session],
  );
  await db.rows('UPDATE tasks SET session_id = $2 WHERE id = $1', [task, session]);
  await setCourse({ allowed_tools: ['write_file'] });
  const freed = async () => {
    const { allowed_tools, granted } = await load();
    return [...allowed_tools, ...granted.tools];
  };
  expect(await freed()).toEqual(['write_file', 'edit_file']);
  await db.rows(`UPDATE sessions SET status = 'ended' WHERE id = $1`, [session]);
  expect(await freed()).toEqual(['write_file']);
  await db.rows(
    `UPDATE sessions SET status = 'active', grants = '{"tools": "all"}' WHERE id = $1`,
    [session],
  );
  expect(await freed()).toEqual(['write_file']);
});

test('what people said about calls of this very unit', async () => {
  const approve = (id: string, unitId: string, key: string | null, status: string) =>
    db.rows(
      `INSERT INTO approvals (id, tenant_id, status, kind, reason, unit_id, call_key, decided_arguments, decision_reason)
        VALUES ($1, 'default', $2, 'tool', 'r', $3, $4, '{"path": "b"}', 'because')`,
      [`${id}_${made}`, status, unitId, key],
    );
  await approve('apr_1', `${task}.a.2`, 'k/0/0', 'approved');
  await approve('apr_2', `${task}.a.2`, null, 'pending');
  await approve('apr_3', `${task}.a.1`, 'k/1/0', 'denied');
  expect((await load()).approvals).toEqual([
    {
      call_key: 'k/0/0',
      status: 'approved',
      decided_arguments: { path: 'b' },
      decision_reason: 'because',
    },
  ]);
});

test('parked time is the unit’s own', async () => {
  await db.rows('UPDATE units SET parked_seconds = 12.5, model_parks = 2 WHERE id = $1', [
    `${task}.a.2`,
  ]);
  expect(await load()).toMatchObject({ parked_seconds: 12.5, model_parks: 2 });
});

test('the newest of what other subtasks taught comes along, oldest first', async () => {
  const remember = (id: string, subtask_id: string) =>
    db.rows(
      `INSERT INTO memory_entries (id, tenant_id, task_id, subtask_id, attempt, type, summary)
        VALUES ($1 || $2, 'default', $2, $3, 1, 'decision', $1)`,
      [id, task, subtask_id],
    );
  for (const id of ['1', '2', '3']) await remember(id, 'b');
  await remember('4', 'a');
  const loadWith = (memory_entries: number) => loadAttempt(db.database, unit(), { memory_entries });
  const [two, all] = await Promise.all([loadWith(2), loadWith(10)]);
  const entry = (summary: string) => ({ type: 'decision', summary, subtask_id: 'b' });
  expect(two?.memory).toEqual([entry('2'), entry('3')]);
  expect(all?.memory).toEqual([entry('1'), entry('2'), entry('3')]);
  expect((await load()).memory).toEqual([]);
});

test('the wait for a model is what its log says of this attempt and this role', async () => {
  const parked = (seq: number, attempt: number, role: string, seconds: number) =>
    db.rows(
      `INSERT INTO events (task_id, seq, tenant_id, type, subtask_id, attempt, data)
        VALUES ($1, $2, 'default', 'model.parked', 'a', $3, $4)`,
      [task, seq, attempt, { role, seconds }],
    );
  expect(await loadModelWait(db.database, unit(), 'executor')).toBe(0);
  await parked(1, 1, 'executor', 100);
  await parked(2, 2, 'executor', 5);
  await parked(3, 2, 'executor', 2.5);
  await parked(4, 2, 'verifier', 100);
  expect(await loadModelWait(db.database, unit(), 'executor')).toBe(7.5);
});

test('the deeds of an attempt: files once each, discoveries that were really noted', async () => {
  await addCall(2, 'write_file', { files: ['b.md', 'a.md'] });
  await addCall(2, 'edit_file', { files: ['a.md'] });
  await addCall(2, 'record_discovery', { args: { summary: 'there is a v2' } });
  await addCall(2, 'record_discovery', { args: { summary: 'lost' }, status: 'failed' });
  await addCall(1, 'record_discovery', { args: { summary: 'earlier' } });
  expect(await loadDeeds(db.database, unit())).toEqual({
    files_changed: ['a.md', 'b.md'],
    discoveries: ['there is a v2'],
  });
});
