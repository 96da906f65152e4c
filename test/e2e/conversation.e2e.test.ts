import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@loom/shared/api';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import { text, toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

let model: ScriptedModel;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({ model, gateways: 2, planners: 2, runners: 3, verifiers: 2 });
}, 120_000);
afterAll(() => cluster.stop());

test('a turn delegates, the task is planned, run in parallel, verified, and its result answers the turn', async () => {
  model.useWorkingBrain({
    subtasks: [
      { id: 'one', description: 'Write one', deliverables: ['one.md'], verification_tier: 2 },
      { id: 'two', description: 'Write two', deliverables: ['two.json'] },
      { id: 'end', description: 'Bring together', is_synthesis: true, deliverables: ['end.md'] },
    ],
  });
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const session = await client.createSession({ workspace });
  const transcript = client.follow('session', session.id);
  const accepted = await client.sendTurn(session.id, 'delegate: make three files');
  const turn = await client.waitForTurn(session.id, accepted.turn_id);

  expect(turn.status).toBe('completed');
  expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  const result = turn.messages[2]?.content ?? '';
  expect(result).toContain('[x] one');
  expect(result).toContain('  - two.json');
  expect(result).toContain('Verification: verified');
  expect(await readFile(join(workspace, 'end.md'), 'utf8')).toBe('This is end.md.\n');

  const { items } = (await client.get(`/api/tasks?session_id=${session.id}`)) as {
    items: { id: string }[];
  };
  const task = await client.getTask(items[0]?.id ?? '');
  expect(task).toMatchObject({ status: 'completed', verification: 'verified', plan_version: 1 });
  const verdicts = task.subtasks.map(({ attempts }) => attempts[0]?.verdict);
  expect(verdicts.map((verdict) => [verdict?.outcome, verdict?.tier])).toEqual([
    ['pass', 2],
    ['pass', 1],
    ['pass', 2],
  ]);
  expect(verdicts[0]?.evidence.map(({ source }) => source)).toContain('one.md');
  await checkInvariants({ ...cluster, transcripts: [transcript] });
});

test('the executor is told its subtask and nothing of its siblings’ conversations, and is reminded after tools', async () => {
  const requests = model.requests.filter(({ role }) => role === 'executor');
  expect(requests.length).toBeGreaterThan(3);
  for (const request of requests) {
    const users = request.messages.filter(({ role }) => role === 'user');
    expect(users).toHaveLength(1);
    const afterTools = request.messages.at(-2)?.role === 'tool';
    if (afterTools) expect(request.messages.at(-1)?.content).toContain('only of this one');
  }
});

test('a failed verification is fed back, and the next attempt is judged anew', async () => {
  model.reset();
  model.useWorkingBrain({
    subtasks: [{ id: 'w', description: 'Write w', deliverables: ['w.json'] }],
  });
  model.once(
    'executor',
    toolCalls([{ name: 'write_file', arguments: { path: 'w.json', content: '{broken' } }]),
  );
  const workspace = await cluster.newWorkspace();
  const { id } = await cluster.client.createTask({ goal: 'valid json', workspace });
  const task = await cluster.client.waitForTask(id);
  expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
  const [subtask] = task.subtasks;
  expect(subtask?.attempts.map(({ status }) => status)).toEqual(['failed', 'completed']);
  expect(subtask?.attempts[0]?.verdict?.reason_code).toBe('invalid_syntax');
  const retry = model.requests.findLast(({ role }) => role === 'executor');
  expect(retry?.prompt).toContain('w.json');
  expect(retry?.prompt).toContain('NOT ACCEPTED');
});

test('a plan whose graph cannot run is sent back with its errors, then fails the task with them', async () => {
  model.reset();
  const broken = '{"subtasks": [{"id": "a", "description": "a", "depends_on": ["ghost"]}]}';
  model.on('planner', text(broken));
  const { id } = await cluster.client.createTask({ goal: 'never' });
  const task = await cluster.client.waitForTask(id);
  expect(task.status).toBe('failed');
  expect(task.errors[0]?.message).toContain('ghost');
  const asked = model.requests.filter(({ role }) => role === 'planner');
  expect(asked).toHaveLength(2);
  expect(asked[1]?.messages.at(-1)?.content).toContain('ghost');
});

test('an unreadable planner degrades to one subtask that does the goal', async () => {
  model.reset();
  model.useWorkingBrain();
  model.on('planner', text('I would rather not.'));
  const { id } = await cluster.client.createTask({ goal: 'do it anyhow' });
  const task = await cluster.client.waitForTask(id);
  expect(task.subtasks.map((subtask) => subtask.id)).toEqual(['execute-goal']);
  expect(task.status).toBe('completed');
});

test('a question parks the turn without a worker, and the next message answers it', async () => {
  model.reset();
  model.once('cowork', toolCalls([{ name: 'ask_user', arguments: { question: 'Which colour?' } }]));
  model.on('cowork', (request) => text(`It shall be ${request.lastUserText}.`));
  const { client } = cluster;
  const session = await client.createSession();
  const asked = await client.sendTurn(session.id, 'Paint it.');
  const parked = await client.waitForTurn(session.id, asked.turn_id);
  expect(parked.status).toBe('awaiting_user');
  const answered = await client.sendTurn(session.id, 'blue');
  expect(answered.turn_id).toBe(asked.turn_id);
  const done = await client.waitForTurn(session.id, asked.turn_id);
  expect(done.messages.at(-1)?.content).toBe('It shall be blue.');
  const { items } = (await client.get(`/api/sessions/${session.id}/messages`)) as {
    items: Message[];
  };
  expect(items.map(({ number, role }) => `${number} ${role}`)).toEqual([
    '1 user',
    '2 assistant',
    '3 tool',
    '4 user',
    '5 assistant',
  ]);
});

test('a plain yes allows the delegation, and then what its task asks for', async () => {
  model.reset();
  const dangerous = { name: 'shell_execute', arguments: { command: 'rm -rf old' } };
  model.useWorkingBrain({
    subtasks: [{ id: 'w', description: 'Write w', deliverables: ['w.md'] }],
    executorCalls: () => [dangerous],
  });
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  await mkdir(join(workspace, 'old'));
  const session = await client.createSession({ workspace, approval_mode: 'auto' });
  const transcript = client.follow('session', session.id);
  const count = (type: string) => transcript.events.filter((event) => event.type === type).length;
  const asked = await client.sendTurn(session.id, 'delegate: tidy up');
  await transcript.when(() => count('approval.requested') === 1);
  expect((await client.sendTurn(session.id, 'yes')).turn_id).toBe(asked.turn_id);
  await transcript.when(() => count('approval.requested') === 2 && count('turn.awaiting_task') > 0);
  expect(existsSync(join(workspace, 'old'))).toBe(true);
  expect((await client.sendTurn(session.id, 'Yes!')).turn_id).toBe(asked.turn_id);
  const turn = await client.waitForTurn(session.id, asked.turn_id);
  expect(turn.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'user',
    'tool',
    'assistant',
  ]);
  expect(existsSync(join(workspace, 'old'))).toBe(false);
  await checkInvariants({ ...cluster, transcripts: [transcript] });
});

test('a second message waits for the first turn, and never reaches it', async () => {
  model.reset();
  const gate = model.hold({ lastUser: 'first' });
  model.on('cowork', (request) => text(`answer to ${request.lastUserText}`));
  const { client } = cluster;
  const session = await client.createSession();
  const first = await client.sendTurn(session.id, 'first');
  await gate.arrived;
  const second = await client.sendTurn(session.id, 'second');
  expect((await client.getTurn(session.id, second.turn_id)).status).toBe('queued');
  gate.release();
  const [one, two] = await Promise.all([
    client.waitForTurn(session.id, first.turn_id),
    client.waitForTurn(session.id, second.turn_id),
  ]);
  expect(one.messages.at(-1)?.content).toBe('answer to first');
  expect(two.messages.at(-1)?.content).toBe('answer to second');
  const last = model.requests.at(-1)?.messages.filter(({ role }) => role !== 'system');
  expect(last?.map(({ content }) => content)).toEqual(['first', 'answer to first', 'second']);
});

test('the model recalls what was said, word for word', async () => {
  model.reset();
  model.once('cowork', text('Noted.'));
  model.once(
    'cowork',
    toolCalls([
      { name: 'conversation_recall', arguments: { action: 'search', query: 'vermilion' } },
    ]),
  );
  model.on('cowork', (request) => text(request.messages.at(-1)?.content ?? ''));
  const { client } = cluster;
  const session = await client.createSession();
  const told = await client.sendTurn(session.id, 'The door is vermilion, never forget.');
  await client.waitForTurn(session.id, told.turn_id);
  const asked = await client.sendTurn(session.id, 'What colour is the door?');
  const turn = await client.waitForTurn(session.id, asked.turn_id);
  expect(turn.messages.at(-1)?.content).toContain(
    '[Turn 1] user:\n  The door is vermilion, never forget.',
  );
  const recalled = (await client.post(`/api/sessions/${session.id}/recall`, {
    action: 'search',
    query: 'vermilion door',
  })) as { matches: { number: number }[] };
  expect(recalled.matches.map(({ number }) => number)).toContain(1);
});

test('tool mistakes of a model are answered with how to correct them', async () => {
  model.reset();
  model.useWorkingBrain({ subtasks: 1 });
  model.once(
    'executor',
    toolCalls([
      { name: 'no_such_tool', arguments: {} },
      { name: 'write_file', arguments: { path: 5 } },
    ]),
  );
  const { id } = await cluster.client.createTask({
    goal: 'stumble',
    workspace: await cluster.newWorkspace(),
  });
  const task = await cluster.client.waitForTask(id);
  expect(task.status).toBe('completed');
  const second = model.requests.filter(({ role }) => role === 'executor')[1];
  const answers = second?.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
  expect(answers?.[0]).toContain('There is no tool "no_such_tool"');
  expect(answers?.[1]).toContain('content');
});

test('cancelling stops a task at the next boundary, and twice is harmless', async () => {
  model.reset();
  const gate = model.hold('executor');
  model.useWorkingBrain({ subtasks: 3 });
  const { client } = cluster;
  const { id } = await client.createTask({
    goal: 'stop me',
    workspace: await cluster.newWorkspace(),
  });
  await gate.arrived;
  await client.post(`/api/tasks/${id}/cancel`);
  await client.post(`/api/tasks/${id}/cancel`);
  const task = await client.waitForTask(id);
  gate.release();
  expect(task.status).toBe('cancelled');
  expect(new Set(task.subtasks.map(({ status }) => status))).toEqual(new Set(['skipped']));
  await client.post(`/api/tasks/${id}/cancel`);
  const items = await client.getEvents(id);
  expect(items.filter(({ type }) => type === 'task.cancel_ack')).toHaveLength(1);
  expect(items.at(-1)?.type).toBe('task.cancelled');
});

test('operators see workers of every role and can retry a failed task', async () => {
  model.reset();
  model.useWorkingBrain({
    subtasks: [
      {
        id: 'f',
        description: 'f',
        deliverables: ['f.md'],
        max_retries: 0,
        is_critical_path: true,
      },
    ],
  });
  model.once('executor', text('I did not write anything.'));
  const { client } = cluster;
  const { items } = (await client.get('/api/admin/workers')) as { items: { role: string }[] };
  const roles = items.map(({ role }) => role).sort();
  expect(roles).toEqual([
    ...Array(2).fill('planner'),
    ...Array(3).fill('runner'),
    ...Array(2).fill('verifier'),
  ]);
  const { id } = await client.createTask({
    goal: 'fail once',
    workspace: await cluster.newWorkspace(),
  });
  const failed = await client.waitForTask(id);
  expect(failed).toMatchObject({ status: 'failed', verification: 'failed' });
  expect(failed.subtasks[0]?.attempts[0]?.verdict?.missing_targets).toEqual(['f.md']);
  await client.post(`/api/tasks/${id}/retry`);
  const task = await client.waitForTask(id);
  expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
  await checkInvariants({ ...cluster });
});
