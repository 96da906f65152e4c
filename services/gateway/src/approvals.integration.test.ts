import { type Approval, approvalSchema } from '@loom/shared/approval';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';
import { askToRun } from './test-support/work-on-task.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let user: Client;
let stranger: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  user = await gateway.client(['user']);
  stranger = await gateway.client(['user'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };

/** A task that waits for an answer. */
async function question(): Promise<{ taskId: string; approval: Approval }> {
  const { id } = await user.createTask({ goal: 'x', plan });
  await askToRun(gateway, id, 'rm -rf build');
  const [approval] = await user.listApprovals({ task_id: id });
  if (approval === undefined) throw new Error('nothing is asked');
  return { taskId: id, approval };
}

const decide = (id: string, body: unknown) => user.request('POST', `/api/approvals/${id}`, body);

it('shows a question in its task, in the list and by itself', async () => {
  const { taskId, approval } = await question();
  expect(approval).toMatchObject({
    status: 'pending',
    kind: 'tool',
    tool: 'shell_execute',
    arguments: { command: 'rm -rf build' },
    reason: 'deletes recursively',
    task_id: taskId,
    subtask_id: 'a',
    decided_by: null,
  });
  expect(Date.parse(approval.expires_at ?? '')).toBeGreaterThan(Date.parse(approval.requested_at));
  expect(await user.getTask(taskId)).toMatchObject({
    status: 'awaiting_confirmation',
    approvals: [approval],
    subtasks: [{ status: 'awaiting_approval' }],
  });
  expect((await user.request('GET', `/api/approvals/${approval.id}`)).body).toEqual(approval);
});

it('takes one answer and shows it to whoever comes second', async () => {
  const { taskId, approval } = await question();
  const [first, second] = await Promise.all([
    decide(approval.id, { decision: 'approve', arguments: { command: 'ls' } }),
    decide(approval.id, { decision: 'deny', reason: 'no' }),
  ]);
  const [taken, refused] = first.status === 200 ? [first, second] : [second, first];
  const decided = approvalSchema.parse(taken.body);
  expect(decided).toMatchObject({ id: approval.id, decided_by: user.key_id });
  expect(['approved', 'denied']).toContain(decided.status);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'conflict', details: { status: decided.status, approval: decided } },
  });
  const late = await decide(approval.id, { decision: 'deny' });
  expect(late.body).toMatchObject({ status: 409, details: { approval: decided } });
  expect(await user.getTask(taskId)).toMatchObject({ status: 'running', approvals: [] });
  const events = (await user.getEvents(taskId)).filter(({ type }) => type === 'approval.decided');
  expect(events).toMatchObject([{ data: { approval_id: approval.id, by: user.key_id } }]);
  expect(await user.getReplay(taskId)).toMatchObject({ matches: true });
});

it('says of an expired one that it has expired', async () => {
  const { approval } = await question();
  await database.rows(`UPDATE approvals SET status = 'expired' WHERE id = $1`, [approval.id]);
  expect(await decide(approval.id, { decision: 'approve' })).toMatchObject({
    status: 409,
    body: { code: 'conflict', details: { status: 'expired' } },
  });
});

it('lists by status, task and session, newest first, in pages', async () => {
  const asked = [await question(), await question(), await question()];
  const ids = asked.map(({ approval }) => approval.id).reverse();
  const first = await user.request('GET', '/api/approvals?status=pending&limit=2');
  const page = first.body as { items: Approval[]; next_cursor: string };
  expect(page.items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const rest = await user.request(
    'GET',
    `/api/approvals?status=pending&cursor=${page.next_cursor}`,
  );
  expect((rest.body as { items: Approval[] }).items[0]?.id).toBe(ids[2]);
  await user.decideApproval(ids[0] ?? '', 'deny', { reason: 'no' });
  expect((await user.listApprovals({ limit: '1' }))[0]?.id).toBe(ids[1]);
  const denied = await user.listApprovals({ status: 'denied', task_id: asked[2]?.taskId ?? '' });
  expect(denied).toMatchObject([{ id: ids[0], decision_reason: 'no' }]);
  expect(await user.listApprovals({ session_id: 'ses_none' })).toEqual([]);
  for (const query of ['status=lost', 'cursor=x', 'task_id=%00']) {
    expect((await user.request('GET', `/api/approvals?${query}`)).status).toBe(422);
  }
});

it('asks nobody else, and takes nothing malformed', async () => {
  const { approval } = await question();
  const path = `/api/approvals/${approval.id}`;
  expect((await stranger.request('GET', path)).status).toBe(404);
  const body = { decision: 'approve' };
  expect((await stranger.request('POST', path, body)).status).toBe(404);
  expect(await stranger.listApprovals()).toEqual([]);
  expect((await decide('apr_none', body)).status).toBe(404);
  for (const wrong of [{}, { decision: 'maybe' }, { ...body, arguments: [] }, { ...body, x: 1 }]) {
    expect((await decide(approval.id, wrong)).status).toBe(422);
  }
  expect((await user.request('GET', path)).body).toMatchObject({ status: 'pending' });
});
