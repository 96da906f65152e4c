import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type CommandResult, startLoom } from '@loom/testing/run-loom';
import { toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let model: ScriptedModel;
let cluster: Cluster;
let env: Record<string, string>;
let workspace: string;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({ model });
  env = { LOOM_URL: cluster.gateways[0] ?? '', LOOM_API_KEY: cluster.key };
}, 120_000);
afterAll(() => cluster?.stop());
beforeEach(async () => {
  workspace = await cluster.newWorkspace();
  model.reset();
  model.useWorkingBrain({
    subtasks: [
      { id: 'first', description: 'Write it', deliverables: ['a.md'] },
      { id: 'second', description: 'Write more', deliverables: ['b.md'], depends_on: ['first'] },
    ],
  });
});

/** Talks in the workspace; all lines are there from the start, as from a file. */
const chat = (args: string[], lines: string[]): Promise<CommandResult> =>
  startLoom(['chat', ...args], { cwd: workspace, env, input: `${lines.join('\n')}\n` }).done;

const sessionOf = ({ stderr }: CommandResult) => /session (ses_\w+)/.exec(stderr)?.[1] ?? '';
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test('delegated work is shown with counts, a plain yes allows a call, and recall finds what was said', async () => {
  await mkdir(join(workspace, 'build'));
  const clean = { name: 'shell_execute', arguments: { command: 'rm -rf build' } };
  model.once({ lastUser: 'clean up' }, toolCalls([clean]));
  const said = await chat(
    ['--workspace', workspace],
    ['The door is vermilion.', 'delegate: two files', 'clean up', 'yes', '/recall vermilion door'],
  );
  expect(said.stderr).toContain('✓ first completed, verified');
  expect(said.stderr).toMatch(/✓ first completed.*\[1\/2\]\n/);
  expect(said.stderr).toContain('(2 of 2 subtasks ended, files changed: 2)');
  expect(said.stderr).toMatch(/\? \[1\] shell_execute \{"command":"rm -rf build"\}/);
  expect(said.stderr).toContain('answer with: yes, no, /approve 1, /deny 1');
  expect(said.stdout).toContain('[Turn 1] user:\n  The door is vermilion.');
  expect(said.stdout).not.toContain('You said: yes');
  expect(await exists(join(workspace, 'build'))).toBe(false);
  expect(said.code).toBe(0);
});

test('a plain no keeps a call from being made', async () => {
  await mkdir(join(workspace, 'build'));
  const clean = { name: 'shell_execute', arguments: { command: 'rm -rf build' } };
  model.once({ lastUser: 'clean up' }, toolCalls([clean]));
  const said = await chat(['--workspace', workspace], ['clean up', 'nein']);
  expect(said.stderr).toMatch(/✗ turn: denied/);
  expect(await exists(join(workspace, 'build'))).toBe(true);
  expect(said.code).toBe(0);
});

test('a goal of the user’s own runs beside the conversation and prints its result', async () => {
  const said = await chat(['--workspace', workspace], ['/run two files', '/tasks']);
  expect(said.stdout).toMatch(/^Task completed: "two files"\n/);
  expect(said.stdout).toMatch(/task_\w+ +completed +verified +2\/2 +two files\n$/);
  expect(said.code).toBe(0);
});

test('stop ends the turn at work, and the session is resumed where it stood', async () => {
  const gate = model.hold({ lastUser: 'take your time' });
  const stopped = await chat(
    ['--workspace', workspace],
    ['Hello.', 'take your time', '/stop', 'And now?'],
  );
  gate.release();
  expect(stopped.stderr).toMatch(/turn cancelled\n/);
  expect(stopped.stdout).toBe('You said: Hello.\nYou said: And now?\n');
  expect(stopped.code).toBe(1);

  const resumed = await chat(['--resume'], ['Again.', '/history 9']);
  expect(sessionOf(resumed)).toBe(sessionOf(stopped));
  expect(resumed.stderr).toMatch(/› Hello\.\nYou said: Hello\.\n› take your time\n› And now\?\n/);
  expect(resumed.stdout).toMatch(
    /^You said: Again\.\n› Hello\.\n[\s\S]*› Again\.\nYou said: Again\.\n$/,
  );
  expect(resumed.code).toBe(0);
});

test('a question is answered by the number of an option, from another client', async () => {
  const question = { question: 'Which sea?', options: ['North', 'Baltic'] };
  model.once({ lastUser: 'sail' }, toolCalls([{ name: 'ask_user', arguments: question }]));
  const asked = await chat(['--workspace', workspace], ['sail']);
  expect(asked.stdout).toBe('Which sea?\n  1) North\n  2) Baltic\n');
  const answered = await chat(['--resume', sessionOf(asked)], ['2']);
  expect(answered.stderr).toContain('Which sea?\n  1) North\n  2) Baltic\n');
  const { items } = (await cluster.client.get(`/api/sessions/${sessionOf(asked)}/messages`)) as {
    items: { role: string; content: string }[];
  };
  expect(items.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'sail',
    'Baltic',
  ]);
});
