import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import type { LoomProcess } from '@loom/testing/processes';
import { text, toolCalls } from '@loom/testing/scripted-model/replies';
import type { ScriptedRequest } from '@loom/testing/scripted-model/request';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runs, writes } from './engine-steps.ts';

let model: ScriptedModel;
let cluster: Cluster;
let worker: LoomProcess;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({ model, planners: 0, runners: 0, verifiers: 0 });
  // One process that does all the work, so that it can be closed and started again.
  worker = await cluster.add('up');
}, 120_000);
afterAll(() => cluster.stop());

const delegate = (goal: string) => toolCalls([{ name: 'delegate_task', arguments: { goal } }]);
const requests = (role: string): ScriptedRequest[] =>
  model.requests.filter((request) => request.role === role);
const told = (request: ScriptedRequest | undefined): string =>
  (request?.messages ?? []).map(({ content }) => content).join('\n');

test('a day of work: analyse, discuss, do it, run a command, close, come back', async () => {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const session = await client.createSession({ workspace, approval_mode: 'disabled' });
  const say = async (content: string): Promise<string> => {
    const { turn_id } = await client.sendTurn(session.id, content);
    const turn = await client.waitForTurn(session.id, turn_id);
    expect(turn.status).toBe('completed');
    return turn.messages.at(-1)?.content ?? '';
  };

  // Analyse by delegation.
  const analysis = {
    subtasks: [{ id: 'look', description: 'analyse', deliverables: ['plan.md'] }],
  };
  model.once('cowork', delegate('analyse the modules'));
  model.once('planner', text(JSON.stringify(analysis)));
  model.once('executor', writes('plan.md', 'move a, then b\n'));
  model.once('executor', text('The plan is in plan.md.'));
  model.once('cowork', text('Two modules can move: a, then b. See plan.md.'));
  expect(await say('How could the modules be moved?')).toContain('plan.md');

  // Discuss: nothing of this may be lost on the way to the executors.
  model.once(
    'cowork',
    toolCalls([{ name: 'record_decision', arguments: { decision: 'a moves first' } }]),
  );
  model.once('cowork', text('Then a first, and nothing of b is touched.'));
  await say('Never touch b.txt. Let a move first.');

  // "Looks good, do it": the constraints that were discussed come along.
  const work = { subtasks: [{ id: 'move', description: 'move a', deliverables: ['a.txt'] }] };
  model.once('cowork', delegate('move a'));
  model.once('planner', text(JSON.stringify(work)));
  model.once('executor', writes('a.txt', 'moved\n'));
  model.once('executor', text('a is moved.'));
  model.once('cowork', text('Done: a is moved, b is as it was.'));
  expect(await say('Looks good, do it.')).toContain('a is moved');
  const [planned, executed] = [requests('planner').at(-1), requests('executor').at(-1)];
  for (const request of [planned, executed]) {
    expect(told(request)).toContain('Never touch b.txt');
    expect(told(request)).toContain('a moves first');
  }
  const report = told(requests('cowork').at(-1));
  expect(report).toContain('[x] move');
  expect(report).toContain('Verification: verified');

  // A direct command.
  model.once('cowork', runs('cat a.txt'));
  model.once('cowork', text('It says: moved.'));
  expect(await say('What does a.txt say now?')).toBe('It says: moved.');
  expect(told(requests('cowork').at(-1))).toContain('exit code 0\nmoved');

  // Close everything that works, start it again, and go on where it was.
  await worker.stop();
  await worker.restart({});
  model.once(
    'cowork',
    toolCalls([
      { name: 'conversation_recall', arguments: { action: 'search', query: 'never touch' } },
    ]),
  );
  model.once('cowork', text('You said never to touch b.txt.'));
  expect(await say('As I said before, which file is off limits?')).toContain('b.txt');
  const last = told(requests('cowork').at(-1));
  expect(last).toContain('[Turn');
  expect(last).toContain('- Never touch b.txt. (message');
  const { state, message_count } = (await client.get(`/api/sessions/${session.id}`)) as {
    state: { decisions: { text: string }[]; files: { path: string }[] };
    message_count: number;
  };
  expect(state.decisions.map((one) => one.text)).toEqual(['a moves first']);
  const page = (await client.get(`/api/sessions/${session.id}/messages?limit=200`)) as {
    items: { number: number }[];
  };
  expect(page.items.map(({ number }) => number)).toEqual(
    Array.from({ length: message_count }, (_, index) => index + 1),
  );
  expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('moved\n');
  await checkInvariants({ ...cluster });
}, 90_000);
