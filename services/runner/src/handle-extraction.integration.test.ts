import { claimExtraction } from '@loom/db/memory/claim-extraction';
import { finishExtraction } from '@loom/db/memory/end-extraction';
import { fault, text } from '@loom/testing/scripted-model/replies';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { learnt, openExtractionWorld } from './test-support/extraction-world.ts';

type World = Awaited<ReturnType<typeof openExtractionWorld>>;
type Worker = Awaited<ReturnType<World['openWorker']>>;

let scene: World;
let workers: Worker[] = [];

beforeAll(async () => {
  scene = await openExtractionWorld();
});
beforeEach(() => {
  scene.model.reset();
  scene.warnings.length = 0;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});
afterAll(() => scene.world.drop());

async function open(options: Parameters<World['openWorker']>[0] = {}): Promise<Worker> {
  const worker = await scene.openWorker(options);
  workers.push(worker);
  return worker;
}

test('a task ends before its subtask is learnt from, and the entries follow', async () => {
  scene.model.on('extractor', text(learnt('Use tabs.', 'Use tabs.', 'Two.', 'Three.', 'Four.')));
  const gate = scene.model.hold('extractor');
  const { runtime } = await open();
  const id = await scene.runTask(runtime);
  expect(await scene.world.statusOf(id)).toBe('completed');
  await gate.arrived;
  expect(await scene.unit(id)).toMatchObject({ status: 'claimed' });
  expect(await scene.entries(id)).toEqual([]);
  const before = await scene.spentBy(id);
  gate.release();
  await scene.untilUnit(id, 'done');

  const place = { type: 'decision', subtask_id: 'a', attempt: 1 };
  expect(await scene.entries(id)).toEqual(
    ['Use tabs.', 'Two.', 'Three.'].map((summary) => ({ ...place, summary })),
  );
  const after = await scene.spentBy(id);
  expect(after?.tokens).toBeGreaterThan(before?.tokens ?? 0);
  expect(after?.cost).toBeGreaterThan(0);
  expect(after?.calls).toBe(before?.calls);
  expect((await scene.world.eventTypes(id)).at(-1)).toBe('task.completed');
  const [request] = scene.model.requests;
  expect(request?.prompt).toContain('The task: test');
  expect(request?.prompt).toContain('What its worker said at the end:\ndone');
});

test('what it costs is charged to the budgets above, and not as a call', async () => {
  scene.model.on('extractor', text(learnt('Use tabs.')));
  const { runtime } = await open();
  await scene.world.rows(
    `INSERT INTO budgets (id, tenant_id, kind, limits) VALUES ('default', 'default', 'tenant', '{"max_tokens": 100000}')`,
  );
  const id = await scene.runTask(runtime);
  await scene.untilUnit(id, 'done');
  const spent = await scene.spentBy(id);
  const [budget] = await scene.world.rows(
    `DELETE FROM budgets WHERE id = 'default' RETURNING tokens::int, cost_micros::int AS cost, model_calls::int AS calls`,
  );
  expect(budget).toEqual({ tokens: spent?.tokens, cost: spent?.cost, calls: 0 });
  expect(spent?.tokens).toBeGreaterThan(0);
});

test('what a lost worker took up is done by another, once', async () => {
  scene.model.on('extractor', text(learnt('Use tabs.')));
  const first = await open({ extracts: false });
  const id = await scene.runTask(first.runtime);
  const unit_id = `mem_${id}.a.1`;
  const lost = await claimExtraction(first.runtime.db, {
    unit_id,
    epoch: 0,
    owner: 'wrk_lost',
    lease_seconds: 0,
    max_starts: 3,
  });
  await open();
  await scene.untilUnit(id, 'done');
  expect((await scene.unit(id))?.epoch).toBe(2);
  if (lost.outcome !== 'claimed') throw new Error(lost.outcome);
  const late = { type: 'decision', summary: 'late', detail: '', tags: [] } as const;
  const cost = { tokens: 1_000_000, cost_micros: 1 };
  const found = { entries: [{ ...late, tags: [] }], cost };
  expect(await finishExtraction(first.runtime.db, lost.unit, found)).toBe(false);
  expect((await scene.entries(id)).map(({ summary }) => summary)).toEqual(['Use tabs.']);
  expect((await scene.spentBy(id))?.tokens).toBeLessThan(1_000_000);
});

test('while the model is away the unit is given back, and goes on later', async () => {
  scene.model.once('extractor', fault({ kind: 'status', status: 429, retryAfter: 1 }));
  scene.model.on('extractor', text(learnt('Use tabs.')));
  const { runtime } = await open();
  const id = await scene.runTask(runtime);
  await scene.untilUnit(id, 'done');
  expect(await scene.entries(id)).toHaveLength(1);
  expect(await scene.unit(id)).toMatchObject({ epoch: 2, model_parks: 1 });
});

test('patience ends: nothing is learnt, and nothing fails', async () => {
  scene.model.on('extractor', fault({ kind: 'status', status: 503 }));
  const { runtime } = await open({ execution: { max_parked_seconds: 0 } });
  const id = await scene.runTask(runtime);
  await scene.untilUnit(id, 'done');
  expect(await scene.entries(id)).toEqual([]);
});

test('an answer that cannot be read is asked for once more, and both are paid', async () => {
  scene.model.once('extractor', text('I would rather not.'));
  scene.model.once('extractor', text(learnt('Use tabs.')));
  const { runtime } = await open();
  const id = await scene.runTask(runtime);
  await scene.untilUnit(id, 'done');
  expect(await scene.entries(id)).toHaveLength(1);
  expect(scene.model.requests.map(({ messages }) => messages.length)).toEqual([2, 4]);

  scene.model.on('extractor', text('No.'));
  const silent = await scene.runTask(runtime);
  await scene.untilUnit(silent, 'done');
  expect(await scene.entries(silent)).toEqual([]);
  expect(scene.model.requests).toHaveLength(4);
  expect(scene.warnings).toEqual(['not learnt: The extractor gave no answer that can be read.']);
});

test('nobody is asked when there is no extractor or no budget left', async () => {
  const { runtime } = await open({ roles: ['executor'] });
  const id = await scene.runTask(runtime);
  await scene.untilUnit(id, 'done');
  await workers.pop()?.stop();

  const idle = await open({ extracts: false });
  const spent = await scene.runTask(idle.runtime, { budget: { max_tokens: 5 } });
  await scene.world.rows('UPDATE tasks SET tokens_used = 5 WHERE id = $1', [spent]);
  await open();
  await scene.untilUnit(spent, 'done');
  expect(scene.model.requests).toEqual([]);
  expect(scene.warnings).toEqual([]);
  expect((await scene.spentBy(spent))?.tokens).toBe(5);
});
