import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { onFileEnd } from '@loom/testing/file-end';
import { freePort } from '@loom/testing/free-port';
import { type LoomCommand, startLoom } from '@loom/testing/run-loom';
import { text } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let model: ScriptedModel;
let cluster: Cluster;
let env: Record<string, string>;
/** Holds no configuration of anyone's. */
let directory: string;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({ model });
  env = { LOOM_URL: cluster.gateways[0] ?? '', LOOM_API_KEY: cluster.key };
  directory = await mkdtemp(join(tmpdir(), 'loom-cli-'));
  onFileEnd(() => rm(directory, { recursive: true, force: true }));
}, 120_000);
afterAll(() => cluster?.stop());
beforeEach(() => {
  model.reset();
  model.useWorkingBrain({
    subtasks: [
      {
        id: 'only',
        description: 'Write it',
        deliverables: ['a.md'],
        max_retries: 0,
        is_critical_path: true,
      },
    ],
  });
});

const loom = (args: string[], options: { env?: Record<string, string>; input?: string } = {}) =>
  startLoom(args, { cwd: directory, ...options, env: { ...env, ...options.env } }).done;

/** Data that a stream of JSON lines consists of, and of nothing else. */
const lines = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });

test('chat says one thing and prints the answer; --json prints every event', async () => {
  const said = await loom(['chat', 'Hello.']);
  expect(said).toMatchObject({ code: 0, stdout: 'You said: Hello.\n' });
  const session = /session (ses_\w+)/.exec(said.stderr)?.[1] ?? '';

  const again = await loom(['chat', 'Again.', '--session', session, '--json']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  const events = lines(again.stdout);
  expect(events.at(-1)?.type).toBe('turn.completed');
  expect(events.filter(({ type }) => type === 'message.appended').at(-1)?.data).toMatchObject({
    number: 4,
    content: 'You said: Again.',
  });

  const piped = await loom(['chat', '--session', session], { input: 'One.\n\nTwo.\n/exit\n' });
  expect(piped).toMatchObject({ code: 0, stdout: 'You said: One.\nYou said: Two.\n' });
});

test('chat shows delegated work on stderr and the answer on stdout', async () => {
  const chat = await loom(['chat', 'delegate: one file']);
  expect(chat.code).toBe(0);
  expect(chat.stderr).toContain('✓ only completed, verified');
  expect(chat.stdout).toMatch(/^I will delegate it\.\nHere is what came back:\n/);
});

test('run ends with 0 when verified, 3 when only partly, 1 when failed', async () => {
  const workspace = await cluster.newWorkspace();
  const verified = await loom(['run', 'one file', '--workspace', workspace, '--json']);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  const events = lines(verified.stdout);
  expect(events[0]?.type).toBe('task.queued');
  expect(events.at(-1)?.type).toBe('task.completed');

  model.reset();
  const doubt = {
    outcome: 'partial_verified',
    confidence: 0.5,
    reason_code: 'unseen',
    severity_class: 'semantic',
    feedback: 'One part cannot be seen.',
  };
  model.on('verifier', text(JSON.stringify(doubt)));
  model.useWorkingBrain({
    subtasks: [
      { id: 'only', description: 'Write it', deliverables: ['a.md'], verification_tier: 2 },
    ],
  });
  const partly = await loom(['run', 'one file']);
  expect(partly.code).toBe(3);
  expect(partly.stdout).toMatch(
    /^Task completed: "one file"\n[\s\S]*Verification: partly_verified/,
  );

  const failed = await failOnce();
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('[!] only');
});

test('retry, watch, tasks and replay take a failed task to its good end', async () => {
  await failOnce();
  const failed = JSON.parse(
    (await loom(['tasks', '--status', 'failed', '--limit', '1', '--json'])).stdout,
  );
  const id = failed.items[0].id as string;
  expect(await loom(['watch', id])).toMatchObject({ code: 1 });

  expect(await loom(['retry', id])).toMatchObject({
    code: 0,
    stdout: `${id}: runs again\n`,
    stderr: '',
  });
  const watched = await loom(['watch', id, '--json']);
  expect(watched).toMatchObject({ code: 0, stderr: '' });
  const types = lines(watched.stdout).map(({ type }) => type);
  expect(types.filter((type) => type === 'task.failed')).toHaveLength(1);
  expect(types.at(-1)).toBe('task.completed');

  const [table, replay, again] = await Promise.all([
    loom(['tasks']),
    loom(['replay', id, '--json']),
    loom(['retry', id]),
  ]);
  expect(table.stdout).toMatch(new RegExp(`^ID +STATUS[\\s\\S]*${id} +completed +verified`));
  expect(JSON.parse(replay.stdout)).toMatchObject({
    matches: true,
    state: { status: 'completed' },
  });
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).not.toBe('');
});

test('cancel ends a running task, and Ctrl-C on run does the same', async () => {
  const gate = model.hold('executor');
  const running = startLoom(['run', 'stop me'], { cwd: directory, env });
  const interrupted = startLoom(['run', 'interrupt me'], { cwd: directory, env });
  await gate.arrivals(2);
  const taskOf = (command: LoomCommand) => /task (task_\w+)/.exec(command.stderr())?.[1];
  await expect.poll(() => taskOf(running) && taskOf(interrupted), { timeout: 10_000 }).toBeTruthy();
  const id = taskOf(running) ?? '';
  interrupted.kill('SIGINT');
  const [cancelled, ended, left] = await Promise.all([
    loom(['cancel', id]),
    running.done,
    interrupted.done,
  ]);
  gate.release();
  expect(cancelled).toMatchObject({ code: 0, stdout: `${id}: asked to stop\n` });
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('Task cancelled') });
  expect(left).toMatchObject({ code: 130, stdout: expect.stringContaining('Task cancelled') });
});

test('keys are made, used, listed and revoked', async () => {
  const made = await loom(['keys', 'create', 'ci']);
  expect(made.code).toBe(0);
  const key = made.stdout.trimEnd();
  const id = /key_\w+/.exec(made.stderr)?.[0] ?? '';
  const [mine, listed, forbidden] = await Promise.all([
    loom(['sessions', '--key', key]),
    loom(['keys', 'list']),
    loom(['keys', 'list', '--key', key, '--json']),
  ]);
  expect(mine.code).toBe(0);
  expect(listed.stdout).toContain(`${id}  ci`);
  expect(listed.stdout).not.toContain(key);
  expect(forbidden).toMatchObject({ code: 1, stdout: '' });
  expect(JSON.parse(forbidden.stderr)).toMatchObject({ code: 'forbidden', status: 403 });
  expect(await loom(['keys', 'revoke', id])).toMatchObject({ code: 0 });
  const refused = await loom(['sessions', '--key', key]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('key');
});

test('doctor finds every part of a healthy cluster, and what is missing without one', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const [healthy, alone, unreachable] = await Promise.all([
    loom(['doctor', '--json']),
    loom(['doctor'], { env: { LOOM_URL: nowhere } }),
    loom(['tasks', '--url', nowhere]),
  ]);
  expect(healthy).toMatchObject({ code: 0, stderr: '' });
  const report = JSON.parse(healthy.stdout) as {
    ok: boolean;
    checks: { name: string; status: string }[];
  };
  expect(report.ok).toBe(true);
  const good = report.checks.filter(({ status }) => status === 'ok').map(({ name }) => name);
  expect(good).toEqual(
    expect.arrayContaining(['gateway', 'database', 'queue', 'models', 'workers']),
  );
  expect(alone.code).toBe(1);
  expect(alone.stdout).toContain('loom up');
  expect(unreachable).toMatchObject({ code: 4, stdout: '' });
  expect(unreachable.stderr).toMatch(/ECONNREFUSED.*loom up/);
});

const refusals: [what: string, args: string[], code: number, said: RegExp][] = [
  ['an unknown command', ['nonsense'], 2, /unknown command 'nonsense'/],
  ['a missing argument', ['run'], 2, /missing required argument 'goal'/],
  ['an unknown role', ['serve', 'nonsense'], 2, /gateway, planner, runner, verifier/],
  ['an unknown status', ['tasks', '--status', 'lost'], 2, /queued, planning/],
  ['no address', ['tasks', '--url', 'nowhere'], 2, /--url: must be a URL/],
  ['an unknown task', ['watch', 'task_nope'], 1, /no such task/i],
  ['a service without a database', ['serve', 'runner'], 1, /DATABASE_URL/],
];

test.concurrent.for(refusals)('refuses %s', async ([, args, code, said]) => {
  const refused = await loom(args);
  expect(refused).toMatchObject({ code, stdout: '' });
  expect(refused.stderr).toMatch(said);
});

test('every mistake in loom.toml is told at once, with what was probably meant', async () => {
  const config = join(directory, 'broken.toml');
  await writeFile(
    config,
    '[server]\nprot = 1\nrate_limit_per_minute = "many"\n\n[executon]\nlease_seconds = 5\n',
  );
  const refused = await loom(['up', '--config', config]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('3 problems');
  expect(refused.stderr).toContain('server.prot: unknown key, did you mean "port"?');
  expect(refused.stderr).toContain('server.rate_limit_per_minute: must be a number');
  expect(refused.stderr).toContain('executon: unknown key, did you mean "execution"?');
});

/** Runs a task whose only attempt does nothing. */
function failOnce() {
  model.reset();
  model.once('executor', text('I did not write anything.'));
  model.useWorkingBrain({
    subtasks: [
      {
        id: 'only',
        description: 'Write it',
        deliverables: ['a.md'],
        max_retries: 0,
        is_critical_path: true,
      },
    ],
  });
  return loom(['run', 'fail once']);
}
