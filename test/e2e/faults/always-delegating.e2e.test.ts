import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import { toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const maxOpen = 3;
const maxIterations = 7;
let model: ScriptedModel;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({
    model,
    config: {
      cowork: { max_open_delegations: maxOpen, max_tool_iterations: maxIterations },
      approval: { mode: 'disabled' },
    },
  });
}, 120_000);
afterAll(() => cluster.stop());

beforeEach(() => {
  model.reset();
  // Executors would delegate too, if they could.
  model.useWorkingBrain({
    subtasks: [{ id: 'only', description: 'Write it', deliverables: ['only.md'] }],
    executorCalls: () => [{ name: 'delegate_task', arguments: { goal: 'deeper' } }],
  });
});

/** Another goal with each call: it does not repeat itself, it only never stops. */
const delegateAgain = () => {
  const goal = `more of it, ${model.requests.length}`;
  return toolCalls([{ name: 'delegate_task', arguments: { goal, wait: false } }]);
};

const tasksOf = (session: string) =>
  cluster.database.rows<{ id: string; depth: number; status: string }>(
    'SELECT id, depth, status FROM tasks WHERE session_id = $1',
    [session],
  );

test('a model that always delegates has so many tasks under way, one level deep, and its turn ends', async () => {
  const { client } = cluster;
  const gate = model.hold('executor');
  model.on('cowork', delegateAgain);
  const session = await client.createSession({ workspace: await cluster.newWorkspace() });
  const { turn_id } = await client.sendTurn(session.id, 'go');
  const turn = await client.waitForTurn(session.id, turn_id);
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'iterations_exhausted' } });
  const answers = turn.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  expect(answers.filter((text) => text.includes('was started'))).toHaveLength(maxOpen);
  expect(answers.filter((text) => text.includes('still under way'))).toHaveLength(
    maxIterations - maxOpen,
  );
  await gate.arrived;
  gate.release();
  const tasks = await tasksOf(session.id);
  await Promise.all(tasks.map(({ id }) => client.waitForTask(id)));
  const ended = await tasksOf(session.id);
  expect(ended.map(({ depth }) => depth)).toEqual(Array(maxOpen).fill(1));
  const refusals = model.requests
    .filter(({ role }) => role === 'executor')
    .flatMap(({ messages }) => messages)
    .filter(({ role, content }) => role === 'tool' && content.includes('no tool "delegate_task"'));
  expect(refusals.length).toBeGreaterThan(0);
  const delivered = await cluster.database.rows(
    `SELECT 1 FROM messages WHERE session_id = $1 AND role = 'system' AND turn_id IS NULL`,
    [session.id],
  );
  expect(delivered).toHaveLength(maxOpen);
  await checkInvariants({ ...cluster });
});

test('it spends no more than its session may, tasks included', async () => {
  const { client } = cluster;
  model.on('cowork', delegateAgain);
  const max_model_calls = 6;
  const session = await client.createSession({
    workspace: await cluster.newWorkspace(),
    budget: { max_model_calls },
  });
  const { turn_id } = await client.sendTurn(session.id, 'go');
  const turn = await client.waitForTurn(session.id, turn_id);
  expect(turn.status).toBe('failed');
  for (const { id } of await tasksOf(session.id)) {
    await client.post(`/api/tasks/${id}/abort`);
    await client.waitForTask(id);
  }
  const [spent] = await cluster.database.rows<{ model_calls: number }>(
    'SELECT model_calls FROM budgets WHERE id = $1',
    [session.id],
  );
  expect(spent?.model_calls).toBeLessThanOrEqual(max_model_calls);
  const told = model.requests.filter(({ role }) => role !== 'extractor').length;
  expect(told).toBeLessThanOrEqual(max_model_calls);
  await checkInvariants({ ...cluster });
});
