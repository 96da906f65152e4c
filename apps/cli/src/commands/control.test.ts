import { afterEach, describe, expect, it } from 'vitest';
import { aTask } from '../testing/builders.ts';
import { runCaptured } from '../testing/run-captured.ts';
import {
  json,
  problem,
  type ScriptedGateway,
  startScriptedGateway,
} from '../testing/scripted-gateway.ts';

let gateway: ScriptedGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const task = json(aTask({ status: 'running' }), 202);

/** Runs a command against a gateway that takes everything, and gives back what it was asked. */
async function run(...args: string[]) {
  const receipt = { receipt_id: 'str_1', task_id: 'task_1', subtask_id: null };
  const actions = ['pause', 'resume', 'cancel', 'abort', 'retry', 'skip'];
  gateway = await startScriptedGateway({
    'POST /api/tasks/task_1/steer': json(receipt, 202),
    ...Object.fromEntries(actions.map((action) => [`POST /api/tasks/task_1/${action}`, task])),
    ...Object.fromEntries(
      actions.map((action) => [`POST /api/tasks/task_1/subtasks/a%20b/${action}`, task]),
    ),
  });
  const said = await runCaptured([...args, '--url', gateway.base_url]);
  const [asked] = gateway.heard;
  return { ...said, path: asked?.path.replace('/api/tasks/task_1', ''), body: asked?.body };
}

describe('control', () => {
  it.each([
    [['pause', 'task_1'], '/pause', null],
    [['pause', 'task_1', 'a b'], '/subtasks/a%20b/pause', null],
    [['resume', 'task_1'], '/resume', {}],
    [
      ['resume', 'task_1', '--budget', '{"max_tokens": 5}'],
      '/resume',
      { budget: { max_tokens: 5 } },
    ],
    [['resume', 'task_1', 'a b'], '/subtasks/a%20b/resume', {}],
    [['cancel', 'task_1'], '/cancel', null],
    [['cancel', 'task_1', '--abort'], '/abort', null],
    [['cancel', 'task_1', '--now'], '/abort', null],
    [['retry', 'task_1'], '/retry', { reuse_existing_plan: true }],
    [['retry', 'task_1', '--new-plan'], '/retry', { reuse_existing_plan: false }],
    [
      ['retry', 'task_1', 'a b', '--tier', '3', '--description', 'Try tea'],
      '/subtasks/a%20b/retry',
      { model_tier: 3, description: 'Try tea' },
    ],
    [['skip', 'task_1', 'a b'], '/subtasks/a%20b/skip', { mode: 'cancel' }],
    [['skip', 'task_1', 'a b', '--abort'], '/subtasks/a%20b/skip', { mode: 'abort' }],
    [['steer', 'task_1', 'Use tea'], '/steer', { guidance: 'Use tea' }],
    [
      ['steer', 'task_1', 'Use tea', '--subtask', 'a'],
      '/steer',
      { guidance: 'Use tea', subtask_id: 'a' },
    ],
  ])('%j asks %s', async (args, path, body) => {
    const asked = await run(...args);
    expect(asked).toMatchObject({ code: 0, path, body, stderr: '' });
    expect(asked.stdout).toMatch(/^(task_1|a b): .+\n$/);
  });

  it('gives the answer itself with --json', async () => {
    const { stdout } = await run('steer', 'task_1', 'Use tea', '--json');
    expect(JSON.parse(stdout)).toEqual({
      receipt_id: 'str_1',
      task_id: 'task_1',
      subtask_id: null,
    });
    await gateway?.close();
    expect(JSON.parse((await run('pause', 'task_1', '--json')).stdout).id).toBe('task_1');
  });

  it('tells why something cannot be done, with 1', async () => {
    const refuse = problem(409, 'already_ended', 'The task is completed already.');
    gateway = await startScriptedGateway({ 'POST /api/tasks/task_1/pause': refuse });
    const said = await runCaptured(['pause', 'task_1', '--url', gateway.base_url]);
    expect(said).toEqual({ code: 1, stdout: '', stderr: 'The task is completed already.\n' });
  });
});
