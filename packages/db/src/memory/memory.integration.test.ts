import type { NewEvent } from '@loom/shared/events';
import type { NewMemory } from '@loom/shared/memory';
import { planSubtaskSchema } from '@loom/shared/plan';
import type { ClaimedUnit } from '@loom/shared/work';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../transaction.ts';
import { claimExtraction } from './claim-extraction.ts';
import { finishExtraction, parkExtraction } from './end-extraction.ts';
import { endedAttempts, insertExtractions } from './insert-extractions.ts';
import { listMemory } from './list-memory.ts';
import { loadExtraction } from './load-extraction.ts';

let world: TestDatabase;
let made = 0;
let task = { id: '', tenant_id: 'acme', session_id: null };

beforeAll(async () => {
  world = await createTestDatabase();
  await world.rows(`INSERT INTO tenants (id) VALUES ('acme')`);
});

/** A task whose subtask `a` has just ended with its second attempt. */
beforeEach(async () => {
  made += 1;
  task = { ...task, id: `task_${made}` };
  const spec = planSubtaskSchema.parse({ id: 'a', description: 'do it' });
  const { id } = task;
  await world.rows(
    `INSERT INTO tasks (id, tenant_id, goal, status, max_parallel, tokens_used)
      VALUES ($1, 'acme', 'g', 'running', 5, 100)`,
    [id],
  );
  await world.rows(
    `INSERT INTO subtasks (task_id, id, tenant_id, position, spec, status, attempts)
      VALUES ($1, 'a', 'acme', 0, $2, 'completed', 2)`,
    [id, spec],
  );
  await world.rows(
    `INSERT INTO attempts (task_id, subtask_id, number, tenant_id, status, tier, summary)
      VALUES ($1, 'a', 2, 'acme', 'completed', 1, 'did it')`,
    [id],
  );
});

const ended = (fields: Partial<NewEvent> = {}): NewEvent => ({
  type: 'subtask.completed',
  subtask_id: 'a',
  attempt: 2,
  data: {},
  ...fields,
});
const insert = (events = [ended()]) =>
  inTransaction(world.database, (client) => insertExtractions(client, endedAttempts(task, events)));
const unitId = () => `mem_${task.id}.a.2`;
const claimAt = (epoch: number) =>
  claimExtraction(world.database, {
    unit_id: unitId(),
    epoch,
    owner: 'wrk_1',
    lease_seconds: 30,
    max_starts: 3,
  });
async function claimed(epoch = 0): Promise<ClaimedUnit> {
  const claim = await claimAt(epoch);
  if (claim.outcome !== 'claimed') throw new Error(claim.outcome);
  return claim.unit;
}
const unitRow = async () => {
  const [row] = await world.rows<{ status: string; epoch: number; starts: number; wait: number }>(
    `SELECT status, epoch, starts, model_parks, dead_reason,
      round(extract(epoch FROM available_at - now()))::int AS wait FROM units WHERE id = $1`,
    [unitId()],
  );
  return row;
};
const note = (summary: string): NewMemory => ({ type: 'error', summary, detail: 'd', tags: ['t'] });
const free = { tokens: 0, cost_micros: 0 };
const list = (params: { tenant_id?: string; limit?: number; cursor?: string } = {}) =>
  listMemory(world.database, { tenant_id: 'acme', task_id: task.id, limit: 50, ...params });

test('an attempt that ended its subtask is learnt from once, however often that is said', async () => {
  const ring = { queue: 'deliveries', tenant_id: 'acme', unit_id: unitId(), epoch: 0 };
  expect(await insert()).toEqual([ring]);
  await claimed();
  await insert([ended(), ended({ type: 'subtask.failed' })]);
  expect(await unitRow()).toMatchObject({ status: 'claimed', epoch: 1 });
});

test('what never ran, or goes on, leaves nothing to learn', async () => {
  const { attempt: _, ...unstarted } = ended({ type: 'subtask.failed' });
  const others = (['subtask.retrying', 'subtask.skipped', 'subtask.blocked'] as const).map((type) =>
    ended({ type }),
  );
  expect(await insert([unstarted, ...others])).toEqual([]);
  expect(await unitRow()).toBeUndefined();
});

test('a claim is taken once an epoch, and given up after too many starts', async () => {
  await insert();
  const unit = await claimed();
  expect(unit).toMatchObject({ task_id: task.id, subtask_id: 'a', attempt: 2, metered: false });
  expect(await claimAt(0)).toEqual({ outcome: 'refused' });
  await world.rows(
    `UPDATE units SET status = 'waiting', starts = 3, last_error = 'boom' WHERE id = $1`,
    [unitId()],
  );
  const reason = 'started 3 times without progress: boom';
  expect(await claimAt(1)).toEqual({ outcome: 'dead', reason });
  expect(await unitRow()).toMatchObject({ status: 'dead', starts: 3, dead_reason: reason });
});

test('entries and the end of the unit are one write, and only its owner’s', async () => {
  await insert();
  const unit = await claimed();
  const stale = { ...unit, epoch: 0 };
  const found = { entries: [note('one'), note('two')], cost: { tokens: 7, cost_micros: 3 } };
  expect(await finishExtraction(world.database, stale, found)).toBe(false);
  expect(await finishExtraction(world.database, unit, found)).toBe(true);
  expect(await finishExtraction(world.database, unit, found)).toBe(false);
  const { items } = await list();
  expect(items.map(({ summary }) => summary)).toEqual(['one', 'two']);
  expect(items[0]).toMatchObject({ type: 'error', detail: 'd', tags: ['t'], attempt: 2 });
  expect(await unitRow()).toMatchObject({ status: 'done' });
  const sql = 'SELECT tokens_used, cost_micros FROM tasks WHERE id = $1';
  expect(await world.rows(sql, [task.id])).toEqual([{ tokens_used: 107, cost_micros: 3 }]);
});

test('a parked one waits without an owner, and its time is counted', async () => {
  await insert();
  const cost = { tokens: 5, cost_micros: 0 };
  expect(await parkExtraction(world.database, await claimed(), { seconds: 40, cost })).toBe(true);
  expect(await unitRow()).toMatchObject({ status: 'parked', wait: 40, starts: 0, model_parks: 1 });
  await world.rows(
    `UPDATE units SET status = 'waiting', parked_at = now() - interval '40 s' WHERE id = $1`,
    [unitId()],
  );
  const brief = await loadExtraction(world.database, await claimed(1));
  expect(brief?.model_parks).toBe(1);
  expect(Math.round(brief?.parked_seconds ?? 0)).toBe(40);
  expect(brief?.budgets).toEqual([{ limits: {}, tokens: 105, cost_micros: 0 }]);
});

test('the record of an attempt is loaded in bounds: its last calls and words', async () => {
  await insert();
  const attempt = `${task.id}.a.2`;
  await world.rows(
    `INSERT INTO tool_calls (key, tenant_id, unit_id, task_id, tool, effect, arguments, status, result, started_at)
      SELECT $1 || '/' || n, 'acme', $1, $2, 'look', 'read', jsonb_build_object('n', n), 'done',
        repeat('x', 5000), now() + n * interval '1 s' FROM generate_series(1, 50) AS n`,
    [attempt, task.id],
  );
  await world.rows(
    `INSERT INTO attempt_messages (unit_id, seq, tenant_id, role, content)
      SELECT $1, n, 'acme', CASE WHEN n % 2 = 0 THEN 'tool' ELSE 'assistant' END, n || repeat('y', 5000)
      FROM generate_series(1, 60) AS n`,
    [attempt],
  );
  const unit = await claimed();
  const brief = await loadExtraction(world.database, unit);
  expect(brief).toMatchObject({
    goal: 'g',
    spec: { id: 'a' },
    status: 'completed',
    summary: 'did it',
  });
  expect(brief?.calls).toHaveLength(30);
  expect(brief?.calls[29]).toMatchObject({ tool: 'look', arguments: '{"n": 50}', status: 'done' });
  expect(brief?.calls[0]?.result).toHaveLength(600);
  expect(brief?.journal.map(({ content }) => Number.parseInt(content, 10))).toEqual(
    Array.from({ length: 12 }, (_, index) => 37 + index * 2),
  );
  expect(brief?.journal[0]?.content).toHaveLength(600);
  expect(await loadExtraction(world.database, { ...unit, tenant_id: 'other' })).toBeNull();
});

test('what was learnt is listed in order, page by page, to its tenant', async () => {
  await insert();
  const entries = ['one', 'two', 'three'].map(note);
  await finishExtraction(world.database, await claimed(), { entries, cost: free });
  const first = await list({ limit: 2 });
  const rest = await list({ limit: 2, cursor: first.next_cursor ?? '' });
  const summaries = [...first.items, ...rest.items].map(({ summary }) => summary);
  expect(summaries).toEqual(['one', 'two', 'three']);
  expect(rest.next_cursor).toBeNull();
  expect((await list({ tenant_id: 'other' })).items).toEqual([]);
});
