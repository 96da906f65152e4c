import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withWorkspaceLock } from '@loom/db/file-changes/workspace-lock';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';
import { type ChangingWorld, changingWorld, type Hand } from './test-support/changing-world.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let world: ChangingWorld;
let user: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  world = changingWorld(gateway, database);
  user = await gateway.client(['user']);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const paths = ['f1', 'f2', 'f3'];

/** A task that is over and has replaced three files. */
async function changedFiles(more: Record<string, unknown> = {}): Promise<Hand> {
  const hand = await world.startTask(user, more);
  for (const path of paths) await writeFile(join(hand.workspace, path), 'old');
  for (const path of paths) await world.write(hand, path, 'new');
  await world.end(user, hand);
  return hand;
}

const see = ({ workspace }: Hand) =>
  Promise.all(paths.map((path) => readFile(join(workspace, path), 'utf8')));

const revert = (
  { task_id }: Hand,
  headers: Record<string, string> = {},
  body: Record<string, string> = {},
) => user.request('POST', `/api/tasks/${task_id}/revert`, body, headers);

const revertRows = ({ task_id }: Hand) =>
  database.rows<{ path: string; status: string; before: string }>(
    `SELECT f.path, f.status, convert_from(b.content, 'UTF8') AS before FROM file_changes f
     JOIN blobs b ON b.tenant_id = f.tenant_id AND b.hash = f.before_hash
     WHERE f.task_id = $1 AND f.tool = 'revert' ORDER BY f.place`,
    [task_id],
  );

it('is recorded with its pre-images, in the audit log and in the session, not in the task', async () => {
  const session = await user.createSession({});
  const hand = await changedFiles({ session_id: session.id });
  const events = await user.getEvents(hand.task_id);
  const { revert_id } = (await revert(hand)).body as { revert_id: string };
  const rows = await revertRows(hand);
  expect(rows).toEqual(paths.map((path) => ({ path, status: 'done', before: 'new' })));
  const told = { revert_id, files: 3, paths };
  const audit = await database.rows(
    `SELECT actor, action, detail FROM audit_log WHERE target = $1`,
    [hand.task_id],
  );
  expect(audit).toEqual([{ actor: user.key_id, action: 'files.revert', detail: told }]);
  const [last] = await database.rows(
    `SELECT type, task_id, data FROM session_events WHERE session_id = $1 ORDER BY seq DESC LIMIT 1`,
    [session.id],
  );
  const data = { ...told, by: user.key_id };
  expect(last).toEqual({ type: 'files.reverted', task_id: hand.task_id, data });
  expect(await user.getEvents(hand.task_id)).toEqual(events);
});

it('answers a repeated request from its record, whatever happened since', async () => {
  const hand = await changedFiles();
  const key = { 'idempotency-key': `revert-${hand.task_id}` };
  const first = await revert(hand, key);
  await writeFile(join(hand.workspace, 'f1'), 'by hand');
  const again = await revert(hand, key);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await revert(hand, key, { path: 'f1' })).status).toBe(422);
  expect((await see(hand))[0]).toBe('by hand');
});

it('happens once when it is asked for twice at once', async () => {
  const hand = await changedFiles();
  const answers = await Promise.all([revert(hand), revert(hand)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const bodies = answers.map(({ body }) => body as { reverted: unknown[]; unchanged: string[] });
  expect(bodies.map(({ reverted }) => reverted.length).sort()).toEqual([0, 3]);
  expect(bodies.map(({ unchanged }) => unchanged.length).sort()).toEqual([0, 3]);
  expect(await revertRows(hand)).toHaveLength(3);
  expect(await see(hand)).toEqual(['old', 'old', 'old']);
});

it('does the rest when it was cut off in the middle', async () => {
  const hand = await changedFiles();
  await revert(hand);
  // As a crash after the first of three writes leaves it: all rows are open.
  await database.rows(
    `UPDATE file_changes SET status = 'open', after_hash = NULL
    WHERE task_id = $1 AND tool = 'revert'`,
    [hand.task_id],
  );
  for (const path of ['f2', 'f3']) await writeFile(join(hand.workspace, path), 'new');
  expect((await revert(hand)).body).toMatchObject({
    reverted: [
      { path: 'f2', action: 'restored' },
      { path: 'f3', action: 'restored' },
    ],
    unchanged: ['f1'],
  });
  expect(await see(hand)).toEqual(['old', 'old', 'old']);
});

it('holds back calls that want to change files meanwhile', async () => {
  const hand = await changedFiles();
  const other = await world.startTask(user, { workspace: hand.workspace });
  let call: Promise<void> | null = null;
  await withWorkspaceLock(gateway.db, hand.workspace, async () => {
    call = world.write(other, 'f1', 'later');
    await untilWaiting();
    expect((await see(hand))[0]).toBe('new');
  });
  await call;
  expect((await see(hand))[0]).toBe('later');
});

/** Until someone waits for an advisory lock of this database. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const waiting = await database.rows(
      `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`,
    );
    if (waiting.length > 0) return;
  }
}
