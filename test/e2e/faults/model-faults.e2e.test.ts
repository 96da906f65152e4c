import type { CreateSession, Task } from '@loom/shared/api';
import type { LoggedEvent } from '@loom/shared/events';
import type { SubtaskInput } from '@loom/testing/builders';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import { type Fault, fault, text, toolCalls } from '@loom/testing/scripted-model/replies';
import type { ScriptedRequest, ScriptedRole } from '@loom/testing/scripted-model/request';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { faultCount } from './fault-counts.ts';

const maxIterations = 4;
let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  cluster = await startCluster({
    model,
    config: {
      execution: {
        sweep_interval_seconds: 0.2,
        model_call_max_attempts: 2,
        model_call_retry_base_delay_seconds: 0.05,
        model_call_retry_jitter_seconds: 0,
        model_call_timeout_seconds: 3,
        model_call_park_after_seconds: 1,
        model_park_base_delay_seconds: 1,
        max_parked_seconds: 60,
      },
      // One place for each kind of work: whoever held it while waiting would hold up all others.
      'limits.runner': {
        turns_concurrency: 1,
        subtasks_concurrency: 1,
        max_tool_iterations: maxIterations,
      },
      'limits.planner': { concurrency: 1 },
      'limits.verifier': { concurrency: 1 },
      cowork: { max_tool_iterations: maxIterations, max_parked_seconds: 60 },
      approval: { objection_seconds: 0.5 },
    },
  });
}, 120_000);
afterAll(() => cluster.stop());
beforeEach(() => {
  model.reset();
  model.useWorkingBrain({
    subtasks: (goal) => onlyPlan({ description: goal, verification_tier: 2 }).subtasks,
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
});
afterEach(() => checkInvariants({ ...cluster, recorder }));

const start = async (more: Record<string, unknown> = {}) =>
  cluster.client.createTask({
    goal: 'one file',
    workspace: await cluster.newWorkspace(),
    ...more,
  });
const run = async (more: Record<string, unknown> = {}): Promise<Task> =>
  cluster.client.waitForTask((await start(more)).id);
const asked = (role: ScriptedRole) => model.requests.filter((request) => request.role === role);
const ofType = (events: LoggedEvent[], type: string) =>
  events.filter((event) => event.type === type);

/** Says something in a new session and returns how the turn ended. */
async function say(content: string, more: CreateSession = {}) {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const session = await client.createSession({ workspace, ...more });
  const { turn_id } = await client.sendTurn(session.id, content);
  const turn = await client.waitForTurn(session.id, turn_id);
  return { session, turn };
}

/** Waits until a stream has told of something. */
async function seen(path: string, type: string) {
  for await (const event of cluster.client.streamEvents(path, { after: '0' })) {
    if (event.type === type) return event;
  }
  throw new Error('the stream ended');
}

const retryAfter = 2;
const tooMany = (seconds: number) => fault({ kind: 'status', status: 429, retryAfter: seconds });
/** The second request did not come before it was allowed to. */
const expectPatience = ([refused, next]: ScriptedRequest[]) =>
  expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(retryAfter * 1_000);
const rounds = Array.from({ length: faultCount({ short: 1, full: 10 }) }, (_, index) => index + 1);

test.each(rounds)(
  'R24: whoever is told to wait parks for that long and goes on by itself, round %i',
  async () => {
    const { client } = cluster;
    const roles = ['planner', 'executor', 'verifier'] as const;
    for (const role of roles) model.once({ role, prompt: `A ${role} waits` }, tooMany(retryAfter));
    model.once('cowork', tooMany(retryAfter));
    const [{ session, turn }, ...tasks] = await Promise.all([
      say('Hello.'),
      ...roles.map((role) => run({ goal: `A ${role} waits` })),
    ]);
    expect(turn.messages.at(-1)?.content).toBe('You said: Hello.');
    await seen(`/api/sessions/${session.id}/events`, 'turn.parked');
    expectPatience(asked('cowork'));
    for (const [index, role] of roles.entries()) {
      const task = tasks[index];
      expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
      expect(task?.subtasks[0]?.attempts).toHaveLength(1);
      const parked = ofType(await client.getEvents(task?.id ?? ''), 'model.parked');
      expect(parked.map(({ data }) => data)).toMatchObject([
        { reason: 'model_rate_limited', seconds: retryAfter, role, model: 'scripted' },
      ]);
      expectPatience(asked(role).filter(({ prompt }) => prompt.includes(`A ${role} waits`)));
    }
  },
);

test('R24: whoever waits for a model holds no place: others are done meanwhile', async () => {
  const { client, database } = cluster;
  const session = await client.createSession();
  for (const role of ['cowork', 'planner', 'executor', 'verifier'] as const) {
    model.once(role, tooMany(50));
    if (role === 'cowork') {
      const { turn_id } = await client.sendTurn(session.id, 'wait');
      await seen(`/api/sessions/${session.id}/events`, 'turn.parked');
      expect((await say('Hello.')).turn.status).toBe('completed');
      await client.post(`/api/sessions/${session.id}/turns/${turn_id}/cancel`);
      expect((await client.waitForTurn(session.id, turn_id)).status).toBe('cancelled');
      continue;
    }
    const { id } = await start();
    await seen(`/api/tasks/${id}/events`, 'model.parked');
    expect((await run()).status).toBe('completed');
    const waiting = await database.rows(
      `SELECT parked_for FROM units WHERE task_id = $1 AND status = 'parked'`,
      [id],
    );
    expect(waiting).toEqual([{ parked_for: 'model' }]);
    await client.controlTask(id, 'cancel');
    expect((await client.waitForTask(id)).status).toBe('cancelled');
  }
});

const everyone = ['planner', 'executor', 'verifier', 'cowork'] as const;
const passing: [name: string, fault: Fault, roles: readonly ScriptedRole[]][] = [
  ['an error of the server', { kind: 'status', status: 500 }, everyone],
  ['a reply that is cut', { kind: 'cut', afterBytes: 60 }, everyone],
  ['a reply that is no JSON', { kind: 'invalid_json' }, everyone],
  // Each role's silence takes the time that a call may take.
  ['silence', { kind: 'hang' }, ['executor', 'cowork']],
];

test.each(passing)('R24: %s is asked again in place', async (name, broken, roles) => {
  for (const role of roles) model.once(role, fault(broken));
  const [task, { turn }] = await Promise.all([run(), say('Hello.')]);
  expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
  expect(task.subtasks[0]?.attempts).toHaveLength(1);
  expect(turn.messages.map(({ content }) => content)).toEqual(['Hello.', 'You said: Hello.']);
  expect(ofType(await cluster.client.getEvents(task.id), 'model.parked')).toEqual([]);
  for (const role of everyone) {
    // An executor asks once more after its tools.
    const calls = role === 'executor' ? 2 : 1;
    expect(asked(role)).toHaveLength(roles.includes(role) ? calls + 1 : calls);
  }
  if (name === 'silence') expect(asked('executor')[0]?.abandoned).toBe(true);
});

test('R24: an outage parks longer each time, and fails as such when patience is used up', async () => {
  const { client, database } = cluster;
  model.on('executor', fault({ kind: 'status', status: 503 }));
  const { id } = await start({ plan: onlyPlan({ max_retries: 0 }) });
  const parks: unknown[] = [];
  for await (const event of client.streamEvents(`/api/tasks/${id}/events`, { after: '0' })) {
    if (event.type === 'task.failed') break;
    if (event.type !== 'model.parked') continue;
    expect(event.data.reason).toBe('model_unavailable');
    parks.push(event.data.seconds);
    // As if the time had passed.
    await database.rows(`UPDATE units SET available_at = now() WHERE status = 'parked'`);
  }
  expect(parks).toEqual([1, 2, 4, 8, 16]);
  const [subtask] = (await client.getTask(id)).subtasks;
  expect(subtask?.error?.code).toBe('model_unavailable');
  expect(subtask?.attempts).toHaveLength(1);
});

test('R24: an answer that breaks off before a reader’s eyes is begun again, and stored once', async () => {
  const { client } = cluster;
  const long = text('A long answer that does not end here. '.repeat(20), { chunks: 20 });
  model.once('cowork', fault({ kind: 'cut', afterBytes: 3_000, reply: long }));
  const session = await client.createSession();
  const transcript = client.follow('session', session.id);
  const { turn_id } = await client.sendTurn(session.id, 'Hello.');
  const turn = await client.waitForTurn(session.id, turn_id);
  expect(turn.messages.map(({ content }) => content)).toEqual(['Hello.', 'You said: Hello.']);
  const parked = transcript.events.filter(({ type }) => type === 'model.parked');
  expect(parked.map(({ data }) => data.reason)).toEqual(['model_unavailable']);
  expect(parked[0]?.data.detail).toContain('broke off');
  await checkInvariants({ ...cluster, transcripts: [transcript] });
});

const final: [code: string, fault: Fault, requests: number][] = [
  ['model_rejected', { kind: 'status', status: 400 }, 1],
  ['model_rejected', { kind: 'status', status: 401 }, 1],
  ['model_bad_reply', { kind: 'invalid_json' }, 2],
];

test.each(final)('R24: %s does not wait (%o)', async (code, broken, requests) => {
  model.on('executor', fault(broken));
  model.on('cowork', fault(broken));
  const [task, { turn }] = await Promise.all([
    run({ plan: onlyPlan({ max_retries: 0 }) }),
    say('Hello.'),
  ]);
  expect(task.status).toBe('failed');
  expect(task.subtasks[0]?.error?.code).toBe(code);
  expect(turn).toMatchObject({ status: 'failed', error: { code } });
  expect(asked('executor')).toHaveLength(requests);
  expect(asked('cowork')).toHaveLength(requests);
  expect(ofType(await cluster.client.getEvents(task.id), 'model.parked')).toEqual([]);
});

test('R24: an unknown tool, and two calls with one id, are each answered on their own', async () => {
  model.once('executor', toolCalls([{ name: 'no_such_tool', arguments: {} }]));
  const write = (path: string) => ({
    name: 'write_file',
    arguments: { path, content: `${path}\n` },
  });
  model.once('executor', fault({ kind: 'duplicate_ids', calls: [write('a.md'), write('b.md')] }));
  model.once('executor', text('Done.'));
  const task = await run();
  expect(task).toMatchObject({ status: 'completed', files_changed: ['a.md', 'b.md'] });
  const errors = ofType(await cluster.client.getEvents(task.id), 'tool.error');
  expect(errors).toHaveLength(1);
  const told = asked('executor')[2]?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(told).toHaveLength(3);
  expect(told[0]?.content).toContain('no_such_tool');
  expect(new Set(told.map(({ tool_call_id }) => tool_call_id)).size).toBe(3);
});

test('R24: an empty reply is no result: the attempt is judged by what it left behind', async () => {
  model.once('executor', fault({ kind: 'empty' }));
  const task = await run();
  expect(task).toMatchObject({ status: 'completed', verification: 'verified' });
  const [first, second] = task.subtasks[0]?.attempts ?? [];
  expect(first?.verdict).toMatchObject({ outcome: 'fail', missing_targets: ['a.md'] });
  expect(second?.status).toBe('completed');
});

const again = () =>
  toolCalls([{ name: 'shell_execute', arguments: { command: recorder.command('again') } }]);

test('R24: a model that calls tools for ever is stopped by the limit of calls', async () => {
  model.on('executor', again);
  // Ever new calls; the same one over and over is noticed before.
  model.on('cowork', (_request, match) =>
    toolCalls([{ name: 'list_directory', arguments: { path: `place-${match}` } }]),
  );
  const [task, { turn }] = await Promise.all([
    run({ plan: onlyPlan({ max_retries: 0 }) }),
    say('Hello.'),
  ]);
  expect(task.subtasks[0]).toMatchObject({
    status: 'failed',
    error: { code: 'iterations_exhausted' },
  });
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'iterations_exhausted' } });
  expect(asked('executor')).toHaveLength(maxIterations);
  expect(asked('cowork')).toHaveLength(maxIterations);
});

test('R24: a conversation in which the very same call is made over and over ends with a word', async () => {
  model.on('cowork', again);
  const { turn } = await say('Hello.');
  expect(turn.status).toBe('completed');
  expect(asked('cowork')).toHaveLength(4);
  expect(turn.messages.at(-1)?.content).not.toBe('');
});

test('R24: a model that calls tools for ever is stopped by the budget', async () => {
  const before = recorder.effects().length;
  model.on('executor', again);
  model.on('cowork', again);
  const budget = { max_tool_calls: 2 };
  const [task, { turn }] = await Promise.all([run({ budget }), say('Hello.', { budget })]);
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'budget_exhausted' } });
  expect(task).toMatchObject({ status: 'failed', budget_used: { tool_calls: 2 } });
  expect(task.errors[0]?.code).toBe('budget_exhausted');
  expect(recorder.effects()).toHaveLength(before + 4);
  const [spent] = ofType(await cluster.client.getEvents(task.id), 'task.budget_exhausted');
  expect(spent?.data).toMatchObject({ budget: 'max_tool_calls', scope: 'task', used: 2, limit: 2 });
});

/** A plan of one subtask, whose failure is the task's. */
function onlyPlan(fields: Partial<SubtaskInput>) {
  const subtask = { id: 'only', description: 'Write it', deliverables: ['a.md'] };
  return { subtasks: [{ ...subtask, max_retries: 1, is_critical_path: true, ...fields }] };
}
