import { afterEach, describe, expect, it } from 'vitest';
import { aSession, aTask } from './testing/builders.ts';
import { runCaptured } from './testing/run-captured.ts';
import {
  json,
  problem,
  type ScriptedGateway,
  startScriptedGateway,
} from './testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

async function run(routes: Parameters<typeof startScriptedGateway>[0], ...args: string[]) {
  gateway = await startScriptedGateway(routes);
  return runCaptured([...args, '--url', gateway.base_url], { env: { LOOM_API_KEY: 'k1' } });
}

describe('usage', () => {
  it('documents the exit codes', async () => {
    const { code, stdout } = await runCaptured(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/130 {2}interrupted/);
    expect(stdout).not.toMatch(/demo/);
  });

  it.each([
    [['nonsense']],
    [['watch']],
    [['tasks', '--status', 'sleeping']],
    [['serve', 'orchestrator']],
    [['retry', 'x', '--queue', 'nope']],
    [['retry', 'x', '--tier', '2']],
    [['retry', 'x', 'a', '--new-plan']],
    [['retry', 'x', 'a', '--tier', '4']],
    [['retry', 'x', 'a', '--queue', 'plans']],
    [['steer', 'x']],
    [['skip', 'x']],
    [['resume', 'x', '--budget', '7']],
    [['approve', '--deny']],
    [['approve', 'apr_1', '--deny', '--always']],
    [['approve', 'apr_1', '--arguments', '[1]']],
    [['tasks', '--url', 'localhost:7420']],
  ])('refuses %j with 2 and leaves stdout empty', async (args) => {
    const { code, stdout, stderr } = await runCaptured(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
  });

  it('says how to start a gateway that is not there, with 4', async () => {
    const { code, stderr } = await runCaptured(['tasks', '--url', 'http://127.0.0.1:9']);
    expect(code).toBe(4);
    expect(stderr).toMatch(/Cannot reach the gateway at http:\/\/127\.0\.0\.1:9 .*"loom up"/);
    expect(stderr).not.toMatch(/ at .*\.ts/);
  });
});

describe('answers', () => {
  it('shows tasks as a table', async () => {
    const page = { items: [aTask()], next_cursor: 'c2' };
    const { code, stdout, stderr } = await run({ 'GET /api/tasks': json(page) }, 'tasks');
    expect(code).toBe(0);
    expect(stdout.split('\n')[1]).toMatch(/^task_1 {2}completed {2}verified .* Write a haiku$/);
    expect(stderr).toBe('more: --cursor c2\n');
    expect(gateway?.heard[0]?.headers.authorization).toBe('Bearer k1');
  });

  it('prints the page itself with --json, wherever it stands, and passes filters on', async () => {
    const page = { items: [aTask()], next_cursor: null };
    const routes = { 'GET /api/tasks': json(page) };
    const { stdout, stderr } = await run(routes, 'tasks', '--status', 'failed', '--json');
    expect(JSON.parse(stdout)).toEqual(page);
    expect(stderr).toBe('');
    expect(gateway?.heard[0]?.path).toBe('/api/tasks?limit=20&status=failed');
  });

  it('lists sessions', async () => {
    const page = { items: [aSession()], next_cursor: null };
    const { stdout } = await run({ 'GET /api/sessions': json(page) }, 'sessions');
    expect(stdout).toMatch(/ses_1 {2}active +2 .* Rain\n$/);
  });

  it('prints a problem as its detail and errors', async () => {
    const errors = [{ path: 'goal', message: 'must say what is to be done' }];
    const refuse = problem(422, 'invalid_request', 'The request is not valid.', errors);
    const { code, stdout, stderr } = await run({ 'POST /api/tasks': refuse }, 'run', ' ');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toBe('The request is not valid.\n  goal: must say what is to be done\n');
  });

  it('prints a problem for machines with --json', async () => {
    const refuse = problem(401, 'unauthenticated', 'No such key.');
    const { stdout, stderr } = await run({ 'GET /api/tasks': refuse }, '--json', 'tasks');
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ code: 'unauthenticated', detail: 'No such key.' });
  });

  it('puts a new key alone on stdout', async () => {
    const created = { id: 'key_1', key: 'lk_x', name: 'ci', scopes: ['user'], tenant: 'default' };
    const routes = { 'POST /api/admin/keys': json(created, 201) };
    const { stdout } = await run(routes, 'keys', 'create', 'ci', '--scope', 'user', 'admin');
    expect(stdout).toBe('lk_x\n');
    expect(gateway?.heard[0]?.body).toEqual({ name: 'ci', scopes: ['user', 'admin'] });
  });

  it('retries a task, or a job of a queue', async () => {
    const ok = json({ id: 'x' }, 202);
    const job = 'POST /api/admin/queues/subtasks/jobs/j%2F1/retry';
    const routes = { 'POST /api/tasks/task_1/retry': ok, [job]: ok };
    expect((await run(routes, 'retry', 'task_1')).code).toBe(0);
    await gateway?.close();
    expect((await run(routes, 'retry', '--queue', 'subtasks', 'j/1')).code).toBe(0);
  });

  it('ends replay with 1 when log and state differ', async () => {
    const state = { status: 'completed', verification: 'verified', plan_version: 1, subtasks: [] };
    const answer = { matches: false, differences: ['status: failed / completed'], state };
    const routes = { 'GET /api/tasks/task_1/replay': json(answer) };
    const { code, stdout } = await run(routes, 'replay', 'task_1');
    expect(code).toBe(1);
    expect(stdout).toMatch(/They differ:\n {2}status: failed/);
  });
});
