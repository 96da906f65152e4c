import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import { fault, text, toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  eventTypes,
  pendingApproval,
  runs,
  startReceiver,
  untilEvent,
  untilParked,
  writes,
} from './engine-steps.ts';

let model: ScriptedModel;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({
    model,
    gateways: 2,
    planners: 2,
    runners: 2,
    verifiers: 2,
    config: {
      execution: { planner_degraded_mode: 'require_approval', sweep_interval_seconds: 0.2 },
      webhooks: { allow_private_networks: true, base_delay_seconds: 0.2 },
    },
  });
}, 120_000);
afterAll(() => cluster.stop());
beforeEach(() => model.reset());
afterEach(() => checkInvariants({ ...cluster }));

test('a gated command asks before it runs; denied it never runs, approved with other words it runs as those', async () => {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  for (const dir of ['keep', 'drop', 'other']) await mkdir(join(workspace, dir));
  const plan = { subtasks: [{ id: 'tidy', description: 'tidy up' }] };
  model.once('executor', runs('rm -rf keep'));
  model.once('executor', runs('rm -rf drop'));
  model.on('executor', text('Tidied up.'));
  const { id } = await client.createTask({
    goal: 'tidy up',
    workspace,
    plan,
    approval_mode: 'disabled',
  });

  await untilEvent(cluster, id, 'approval.requested');
  const first = await pendingApproval(cluster, id);
  expect(first).toMatchObject({ kind: 'tool', tool: 'shell_execute', subtask_id: 'tidy' });
  expect(await client.getTask(id)).toMatchObject({
    status: 'awaiting_confirmation',
    subtasks: [{ status: 'awaiting_approval' }],
  });
  expect(existsSync(join(workspace, 'keep'))).toBe(true);
  await client.decideApproval(first.id, 'deny', { reason: 'that is still needed' });
  await expect(client.decideApproval(first.id, 'approve')).rejects.toMatchObject({ status: 409 });

  await untilEvent(cluster, id, 'approval.requested', 2);
  const second = await pendingApproval(cluster, id);
  await client.decideApproval(second.id, 'approve', { arguments: { command: 'rm -rf other' } });
  const task = await client.waitForTask(id);
  expect(task.status).toBe('completed');
  expect(['keep', 'drop', 'other'].filter((dir) => existsSync(join(workspace, dir)))).toEqual([
    'keep',
    'drop',
  ]);
  const told = model.requests.filter(({ role }) => role === 'executor').at(-1)?.messages ?? [];
  const answers = told.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(answers[0]).toContain('that is still needed');
  expect(answers[1]).toContain('rm -rf other');
});

test('pause holds a task at its next boundary, steering reaches the executor, resume goes on', async () => {
  const { client } = cluster;
  const plan = { subtasks: [{ id: 'one', description: 'write one', deliverables: ['one.md'] }] };
  const gate = model.hold('executor');
  model.once('executor', writes('one.md'));
  model.on('executor', text('Wrote it.'));
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({ goal: 'write', workspace, plan });
  await gate.arrived;
  await client.controlTask(id, 'pause');
  expect((await client.controlTask(id, 'pause')).status).toBe('paused');
  const receipt = await client.steerTask(id, 'Write in capital letters.');
  gate.release();
  await untilParked(cluster, id, 'pause');
  expect((await client.getTask(id)).status).toBe('paused');
  // At the boundary behind the reply: the file was not written while the task was paused.
  expect(existsSync(join(workspace, 'one.md'))).toBe(false);
  await client.controlTask(id, 'resume');
  const task = await client.waitForTask(id);
  expect(task.status).toBe('completed');
  const acknowledged = await untilEvent(cluster, id, 'task.steer_acknowledged');
  expect(acknowledged).toMatchObject({ receipt_id: receipt });
  const last = model.requests.filter(({ role }) => role === 'executor').at(-1);
  expect(JSON.stringify(last?.messages)).toContain('Write in capital letters.');
  await expect(client.controlTask(id, 'pause')).rejects.toMatchObject({ status: 409 });
});

test('what failed is planned anew: finished results stay, and every version is kept with its diff', async () => {
  const { client } = cluster;
  const plan = {
    subtasks: [
      { id: 'good', description: 'write good', deliverables: ['good.md'] },
      { id: 'bad', description: 'write bad', deliverables: ['bad.md'], max_retries: 0 },
    ],
  };
  model.on({ role: 'executor', prompt: 'write good' }, (request) =>
    request.messages.some(({ role }) => role === 'tool') ? text('Done.') : writes('good.md'),
  );
  model.on({ role: 'executor', prompt: 'write bad' }, text('I could not.'));
  model.on({ role: 'executor', prompt: 'another way' }, (request) =>
    request.messages.some(({ role }) => role === 'tool') ? text('Done.') : writes('bad.md'),
  );
  // A plan that forgets a subtask is sent back with the name of what it forgot.
  model.once('planner', text(JSON.stringify({ subtasks: [{ id: 'new', description: 'x' }] })));
  model.once(
    'planner',
    text(
      JSON.stringify({
        subtasks: [
          { id: 'good', description: 'write good', deliverables: ['good.md'] },
          { id: 'bad', description: 'another way', deliverables: ['bad.md'] },
        ],
      }),
    ),
  );
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({ goal: 'write both', workspace, plan });
  const task = await client.waitForTask(id);
  expect(task).toMatchObject({ status: 'completed', plan_version: 2 });
  expect(task.subtasks.map(({ id, attempts }) => [id, attempts.length])).toEqual([
    ['good', 1],
    ['bad', 2],
  ]);
  expect(task.plans.map(({ version, reason, diff }) => [version, reason, diff.changed])).toEqual([
    [1, 'first plan', []],
    [2, 'subtask_failed', ['bad']],
  ]);
  const asked = model.requests.filter(({ role }) => role === 'planner');
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked[1]?.messages.at(-1))).toContain('good');
});

test('a rejected replan names the ids and leaves the old plan, and the task fails', async () => {
  const { client } = cluster;
  model.on('executor', text('I did nothing.'));
  model.on('planner', text(JSON.stringify({ subtasks: [{ id: 'new', description: 'x' }] })));
  const plan = {
    subtasks: [{ id: 'only', description: 'x', deliverables: ['x.md'], max_retries: 0 }],
  };
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({ goal: 'x', workspace, plan });
  const task = await client.waitForTask(id);
  expect(task).toMatchObject({ status: 'failed', plan_version: 1 });
  const rejected = await untilEvent(cluster, id, 'task.plan_rejected');
  expect(rejected.subtask_ids).toEqual(['only']);
});

test('a planner that cannot be read asks a person, and the answer decides', async () => {
  const { client } = cluster;
  model.on('planner', text('I would rather not.'));
  model.on('executor', text('Did it all.'));
  model.on('verifier', text(JSON.stringify({ outcome: 'pass', confidence: 0.9 })));
  const workspace = await cluster.newWorkspace();
  const [yes, no] = await Promise.all([
    client.createTask({ goal: 'first', workspace }),
    client.createTask({ goal: 'second', workspace }),
  ]);
  for (const [task, decision] of [
    [yes, 'approve'],
    [no, 'deny'],
  ] as const) {
    await untilEvent(cluster, task.id, 'task.confirmation_required');
    const approval = await pendingApproval(cluster, task.id);
    expect(approval.kind).toBe('plan');
    await client.decideApproval(approval.id, decision);
  }
  expect(await client.waitForTask(yes.id)).toMatchObject({
    status: 'completed',
    plans: [{ degraded: true }],
  });
  expect(await client.waitForTask(no.id)).toMatchObject({ status: 'failed', plan_version: 0 });
});

test('a budget stops an endless loop and says which', async () => {
  const { client } = cluster;
  model.on('executor', toolCalls([{ name: 'list_directory', arguments: {} }]));
  const plan = { subtasks: [{ id: 'loop', description: 'loop', is_critical_path: true }] };
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({
    goal: 'loop',
    workspace,
    plan,
    budget: { max_model_calls: 5 },
  });
  const task = await client.waitForTask(id);
  expect(task).toMatchObject({
    status: 'failed',
    budget_used: { model_calls: 5 },
    errors: [{ code: 'budget_exhausted' }],
  });
  expect(await untilEvent(cluster, id, 'task.budget_exhausted')).toMatchObject({
    budget: 'max_model_calls',
    scope: 'task',
    limit: 5,
  });
  expect(model.requests.filter(({ role }) => role === 'executor')).toHaveLength(5);
});

test('a model that limits requests parks the work, which resumes by itself', async () => {
  const { client } = cluster;
  model.once('executor', fault({ kind: 'status', status: 429, retryAfter: 3 }));
  model.on('executor', text('Done.'));
  const plan = { subtasks: [{ id: 'p', description: 'p' }] };
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({ goal: 'p', workspace, plan });
  expect(await untilEvent(cluster, id, 'model.parked')).toMatchObject({ seconds: 3 });
  const task = await client.waitForTask(id);
  expect(task).toMatchObject({ status: 'completed', subtasks: [{ attempts: [{ number: 1 }] }] });
  expect(await eventTypes(cluster, id)).not.toContain('run.recovered');
});

test('a verifier that cannot be understood is asked again, the executor is not', async () => {
  const { client } = cluster;
  model.on('executor', text('Done.'));
  model.once('verifier', text('hm'));
  model.on('verifier', text(JSON.stringify({ outcome: 'pass', confidence: 0.9 })));
  const plan = { subtasks: [{ id: 'v', description: 'v', verification_tier: 2 }] };
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({ goal: 'v', workspace, plan });
  const task = await client.waitForTask(id);
  expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
  expect(model.requests.map(({ role }) => role)).toEqual(['executor', 'verifier', 'verifier']);
});

test('the end of a task is told to its callback, signed, and again until it is heard', async () => {
  const { client } = cluster;
  const { url, heard } = await startReceiver();
  model.on('executor', text('Done.'));
  const { id } = await client.createTask({
    goal: 'tell me',
    workspace: await cluster.newWorkspace(),
    plan: { subtasks: [{ id: 'a', description: 'a' }] },
    callback_url: url,
    metadata: { order: 7 },
  });
  await client.waitForTask(id);
  let listed: { status: string; attempts: { status: number }[] }[] = [];
  while (listed[0]?.status !== 'delivered') {
    await cluster.database.rows('SELECT pg_sleep(0.1)');
    const page = (await client.get(`/api/tasks/${id}/deliveries`)) as { items: typeof listed };
    listed = page.items;
  }
  expect(listed[0]?.attempts.map(({ status }) => status)).toEqual([503, 204]);
  const { secret } = (await client.get('/api/webhooks/secret')) as { secret: string };
  for (const { headers, body } of heard) {
    const signed = `${headers['loom-timestamp']}.${body}`;
    const expected = createHmac('sha256', secret).update(signed).digest('hex');
    expect(headers['loom-signature']).toBe(`v1=${expected}`);
    expect(JSON.parse(body)).toMatchObject({
      type: 'task.completed',
      task: { id, metadata: { order: 7 } },
    });
  }
});

test('evidence can be read as JSON and as CSV, actions as a log', async () => {
  const { client } = cluster;
  model.once('executor', writes('report.json', '{"ok": true}'));
  model.on('executor', text('Wrote the report.'));
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({
    goal: 'report',
    workspace,
    plan: { subtasks: [{ id: 'r', description: 'r', deliverables: ['report.json'] }] },
  });
  const task = await client.waitForTask(id);
  expect(task.summary).toContain('write_file ×1');
  const evidence = (await client.get(`/api/tasks/${id}/evidence`)) as {
    items: { source: string }[];
  };
  expect(evidence.items.map(({ source }) => source)).toContain('report.json');
  const csv = await client.request('GET', `/api/tasks/${id}/evidence`, undefined, {
    accept: 'text/csv',
  });
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(String(csv.body).split('\r\n').length).toBeGreaterThan(1);
  const actions = (await client.get(`/api/tasks/${id}/actions`)) as { items: { tool: string }[] };
  expect(actions.items.map(({ tool }) => tool)).toEqual(['write_file']);
  expect(await readFile(join(workspace, 'report.json'), 'utf8')).toBe('{"ok": true}');
});

test('a skipped subtask ends at once and what depended on it is looked at anew', async () => {
  const { client } = cluster;
  const gate = model.hold({ role: 'executor', prompt: 'slow work' });
  model.on('executor', text('Done.'));
  model.on(
    'planner',
    text(
      JSON.stringify({
        subtasks: [
          { id: 'slow', description: 'slow work' },
          { id: 'after', description: 'quick work' },
        ],
      }),
    ),
  );
  const workspace = await cluster.newWorkspace();
  const { id } = await client.createTask({
    goal: 'slow',
    workspace,
    plan: {
      subtasks: [
        { id: 'slow', description: 'slow work' },
        { id: 'after', description: 'quick work', depends_on: ['slow'] },
      ],
    },
  });
  await gate.arrived;
  await client.controlSubtask([id, 'slow'], 'skip');
  const task = await client.waitForTask(id);
  gate.release();
  expect(task.subtasks.map(({ id, status }) => [id, status])).toEqual([
    ['slow', 'skipped'],
    ['after', 'completed'],
  ]);
  expect(task.status).toBe('failed');
  expect(await eventTypes(cluster, id)).toContain('task.stalled');
});
