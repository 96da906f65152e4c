import { createHash } from 'node:crypto';
import type { NewArtifact } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../database.ts';
import { keepBefore } from '../file-changes/keep-before.ts';
import { listArtifacts } from './list-artifacts.ts';
import { loadArtifact } from './load-artifact.ts';
import { storeArtifact } from './store-artifact.ts';
import { sweepArtifacts } from './sweep-artifacts.ts';

let world: TestDatabase;
let db: Database;
beforeAll(async () => {
  world = await createTestDatabase();
  db = world.database;
});
beforeEach(() => world.rows('TRUNCATE artifacts, blobs, file_changes'));

const unit: ClaimedUnit = {
  unit_id: 'task_1.a.1',
  epoch: 1,
  queue: 'subtasks',
  tenant_id: 'acme',
  task_id: 'task_1',
  subtask_id: 'a',
  attempt: 1,
  session_id: 'ses_1',
  turn_id: null,
  metered: false,
};
const bounds = { max_age_days: 14, max_files_per_scope: 100, max_bytes_per_scope: 1_000_000 };

function artifact(text: string): NewArtifact {
  const content = Buffer.from(text);
  return { name: 'page.txt', kind: 'text', mime: 'text/plain', source: 'web_fetch', content };
}

const store = (text: string, of: Partial<ClaimedUnit> = {}, to: Database = db) =>
  storeArtifact(to, { unit: { ...unit, ...of }, call_key: 'k' }, artifact(text));

const keepFile = (text: string, to: Database = db) => {
  const content = Buffer.from(text);
  const hash = createHash('sha256').update(content).digest('hex');
  const before = { hash, size: content.length, mode: 0o644, content };
  const call = { unit, call_key: `k${text}`, tool: 'write_file', workspace: '/w' };
  return keepBefore(to, call, [{ path: 'a.txt', before }]);
};

const age = (ref: string, days: number) =>
  world.rows(`UPDATE artifacts SET created_at = now() - $2 * interval '1 day' WHERE ref = $1`, [
    ref,
    days,
  ]);
const refs = async () =>
  (await world.rows<{ ref: string }>('SELECT ref FROM artifacts ORDER BY created_at, ref')).map(
    ({ ref }) => ref,
  );
const blobCount = async () => (await world.rows('SELECT hash FROM blobs')).length;

test('an artifact is given back to its tenant alone, and equal bytes are kept once', async () => {
  const ref = await store('hello');
  const again = await store('hello');
  expect(ref).toMatch(/^af_/);
  const loaded = await loadArtifact(db, { tenant_id: 'acme', ref });
  expect(loaded).toEqual({ ref, ...artifact('hello') });
  expect(await loadArtifact(db, { tenant_id: 'other', ref })).toBeNull();
  expect(await blobCount()).toBe(1);
  await store('hello', { tenant_id: 'other' });
  expect(await blobCount()).toBe(2);
  expect(again).not.toBe(ref);
});

test('lists what a task or a session has, in pages, for its tenant', async () => {
  await world.rows(`INSERT INTO tenants (id) VALUES ('acme') ON CONFLICT DO NOTHING`);
  await world.rows(`INSERT INTO sessions (id, tenant_id) VALUES ('ses_1', 'acme')`);
  await world.rows(
    `INSERT INTO tasks (id, tenant_id, session_id, goal, status, max_parallel) VALUES ('task_1', 'acme', 'ses_1', 'x', 'running', 1)`,
  );
  const first = await store('1');
  await age(first, 2);
  const second = await store('22', { subtask_id: null });
  await age(second, 1);
  const turns = await store('3', { task_id: null, subtask_id: null, turn_id: 'turn_1' });
  await store('4', { tenant_id: 'other' });

  const ofTask = { tenant_id: 'acme', owner: { task_id: 'task_1' }, limit: 1 };
  const page = await listArtifacts(db, ofTask);
  expect(page?.items).toMatchObject([{ ref: first, size: 1, kind: 'text', subtask_id: 'a' }]);
  const rest = await listArtifacts(db, { ...ofTask, cursor: page?.next_cursor ?? '' });
  expect(rest).toMatchObject({ items: [{ ref: second, size: 2 }], next_cursor: null });

  const owner = { session_id: 'ses_1' };
  const all = await listArtifacts(db, { tenant_id: 'acme', owner, limit: 10 });
  expect(all?.items.map(({ ref }) => ref)).toEqual([first, second, turns]);
  expect(await listArtifacts(db, { ...ofTask, tenant_id: 'other' })).toBeNull();
});

test('age, number and bytes bound what a scope keeps; the newest stays', async () => {
  const old = await store('old', { session_id: null, task_id: 'task_2' });
  await age(old, 15);
  const here: string[] = [];
  for (let n = 0; n < 5; n++) here.push(await store(`${n}`.repeat(10)));
  for (const [n, ref] of here.entries()) await age(ref, 0.5 - n / 10);
  const elsewhere = await store('same scope, other tenant', { tenant_id: 'other' });

  expect(await sweepArtifacts(db, bounds)).toEqual({ artifacts: 1, blobs: 1 });
  expect(await refs()).toEqual([...here, elsewhere]);
  expect(await sweepArtifacts(db, { ...bounds, max_files_per_scope: 4 })).toEqual({
    artifacts: 1,
    blobs: 1,
  });
  expect(await refs()).toEqual([...here.slice(1), elsewhere]);
  await sweepArtifacts(db, { ...bounds, max_bytes_per_scope: 20 });
  expect(await refs()).toEqual([...here.slice(3), elsewhere]);
  await sweepArtifacts(db, { ...bounds, max_bytes_per_scope: 1 });
  expect(await refs()).toEqual([...here.slice(4), elsewhere]);
  expect(await blobCount()).toBe(2);
});

test('bytes stay while another artifact, or a file that was changed, refers to them', async () => {
  const shared = await store('shared');
  await age(shared, 15);
  await store('shared');
  const before = await store('before');
  await age(before, 15);
  await keepFile('before');
  expect(await sweepArtifacts(db, bounds)).toEqual({ artifacts: 2, blobs: 0 });
  expect(await blobCount()).toBe(2);
});

test('many are removed in steps, and any number of sweepers may try', async () => {
  await world.rows(
    `INSERT INTO blobs (tenant_id, hash, size, content) SELECT 'acme', n::text, 1, 'x' FROM generate_series(1, 450) n`,
  );
  await world.rows(
    `INSERT INTO artifacts (ref, tenant_id, scope, name, kind, mime, source, hash, size, created_at)
     SELECT 'af_' || n, 'acme', 's', 'n', 'text', 'text/plain', 's', n::text, 1, now() - interval '20 days'
     FROM generate_series(1, 450) n`,
  );
  const sweeps = await Promise.all([1, 2, 3].map(() => sweepArtifacts(db, bounds)));
  const sum = (key: 'artifacts' | 'blobs') => sweeps.reduce((total, one) => total + one[key], 0);
  expect({ artifacts: sum('artifacts'), blobs: sum('blobs') }).toEqual({
    artifacts: 450,
    blobs: 450,
  });
});

test.each([
  ['an artifact', (to: Database) => store('twice', {}, to)],
  ['a file before its change', (to: Database) => keepFile('twice', to)],
])('bytes that %s is about to refer to are not swept away', async (_what, refer) => {
  const old = await store('twice');
  await age(old, 15);
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    // Finds the bytes there, and refers to them unseen by anybody.
    await refer({ ...db, pool: client } as unknown as Database);
    const sweeping = sweepArtifacts(db, bounds);
    await Promise.race([sweeping, waitsForLock()]);
    await client.query('COMMIT');
    await sweeping;
  } finally {
    client.release();
  }
  expect(await blobCount()).toBe(1);
});

async function waitsForLock(): Promise<void> {
  for (;;) {
    const waiting = await world.rows(
      `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'blobs'::regclass`,
    );
    if (waiting.length > 0) return;
  }
}

test('storing and sweeping at once never leaves an artifact without its bytes', async () => {
  const rounds = Array.from({ length: 40 }, (_, n) => n);
  const storing = Promise.all(rounds.map((n) => store(`text ${n % 3}`)));
  const sweeping = (async () => {
    for (const _ of rounds) await sweepArtifacts(db, { ...bounds, max_files_per_scope: 1 });
  })();
  await Promise.all([storing, sweeping]);
  const lost = await world.rows(
    `SELECT a.ref FROM artifacts a LEFT JOIN blobs b ON b.tenant_id = a.tenant_id AND b.hash = a.hash WHERE b.hash IS NULL`,
  );
  expect(lost).toEqual([]);
  await sweepArtifacts(db, { ...bounds, max_files_per_scope: 1 });
  expect([(await refs()).length, await blobCount()]).toEqual([1, 1]);
});
