import { createHash } from 'node:crypto';
import type { FileBefore } from '@loom/shared/tool';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeChanges } from './close-changes.ts';
import { keepBefore } from './keep-before.ts';
import { findKept, loadKept } from './kept-content.ts';
import { listChanges, loadHistories } from './list-changes.ts';
import type { ChangeOwner } from './open-changes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

function before(path: string, text: string | Buffer): FileBefore {
  const content = Buffer.from(text);
  const version = { hash: hashOf(content), size: content.length, mode: 0o640 };
  return { path, before: { ...version, content } };
}

const unit: ChangeOwner = {
  tenant_id: 'default',
  unit_id: 'task_1.a.1',
  task_id: 'task_1',
  subtask_id: 'a',
  attempt: 1,
  session_id: null,
  turn_id: null,
};

const keep = (call_key: string, files: FileBefore[], more: Partial<ChangeOwner> = {}) =>
  keepBefore(
    database.database,
    { unit: { ...unit, ...more }, call_key, tool: 'write_file', workspace: '/w' },
    files,
  );

const ofTask = (task_id: string, tenant = 'default') =>
  listChanges(database.database.pool, tenant, { task_id });

it('keeps how files were, what was said first, and how they were left', async () => {
  const bytes = Buffer.from([0, 255, 92, 34, 10]);
  await keep('k1', [before('x', bytes), { path: 'new', before: null }, before('twin', bytes)]);
  await keep('k1', [before('x', 'what the call itself wrote')]);
  const after = { hash: 'h', size: 7, mode: 0o600 };
  await closeChanges(database.database.pool, [
    {
      key: 'k1',
      changes: [
        { path: 'x', after },
        { path: 'twin', after: null },
      ],
    },
  ]);
  const version = { hash: hashOf(bytes), size: 5, mode: 0o640 };
  expect(await ofTask('task_1')).toMatchObject([
    { ...unit, path: 'x', before: version, after, status: 'done', undoes: null },
    { ...unit, path: 'new', before: null, after: null, status: 'open', running: false },
    { ...unit, path: 'twin', before: version, after: null, status: 'done' },
  ]);
  expect(await loadKept(database.database.pool, 'default', version.hash)).toEqual(bytes);
  expect(await database.rows('SELECT 1 FROM blobs')).toHaveLength(1);
});

it('keeps tenants apart, but the history of a file is that of all', async () => {
  const file = before('shared', 'theirs');
  await keep('k2', [file], { tenant_id: 'other', task_id: 'task_2' });
  await keep('k3', [before('shared', 'ours')], { task_id: 'task_3' });
  expect(await ofTask('task_2')).toEqual([]);
  expect(await ofTask('task_2', 'other')).toHaveLength(1);
  const hash = file.before?.hash ?? '';
  expect(await loadKept(database.database.pool, 'default', hash)).toBeNull();
  expect(await findKept(database.database.pool, 'default', [hash])).toEqual(new Set());
  expect(await findKept(database.database.pool, 'other', [hash])).toEqual(new Set([hash]));
  const histories = await loadHistories(database.database.pool, '/w', ['shared', 'none']);
  expect([...histories.keys()]).toEqual(['shared']);
  expect(histories.get('shared')?.map(({ call_key }) => call_key)).toEqual(['k2', 'k3']);
});

it('remembers that content was too large to keep', async () => {
  const version = { hash: 'large', size: 99, mode: 0o644 };
  await keep('k4', [{ path: 'large', before: { ...version, content: null } }], {
    task_id: 'task_4',
  });
  expect(await ofTask('task_4')).toMatchObject([{ before: version }]);
  expect(await findKept(database.database.pool, 'default', ['large'])).toEqual(new Set());
});

it('finds the changes of a turn, and knows whether their unit is at work', async () => {
  const turn = { task_id: null, subtask_id: null, attempt: null, turn_id: 'turn_1' };
  await keep('k5', [{ path: 't', before: null }], { ...turn, unit_id: 'turn_1' });
  await database.rows(`INSERT INTO units (id, tenant_id, queue, status)
    VALUES ('turn_1', 'default', 'turns', 'claimed')`);
  const ofTurn = () => listChanges(database.database.pool, 'default', { turn_id: 'turn_1' });
  expect(await ofTurn()).toMatchObject([{ path: 't', running: true }]);
  await database.rows(`UPDATE units SET status = 'done' WHERE id = 'turn_1'`);
  expect(await ofTurn()).toMatchObject([{ running: false }]);
  await database.rows(`UPDATE units SET status = 'parked' WHERE id = 'turn_1'`);
  const path = 't';
  const after = null;
  await closeChanges(database.database.pool, [{ key: 'k5', changes: [{ path, after }] }]);
  expect(await ofTurn()).toMatchObject([{ status: 'done', running: false }]);
});
