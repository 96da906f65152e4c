import type { ToolContext, ToolDefinition } from '@loom/shared/tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { call, openAttemptWorld, type Runner } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;
let runner: Runner;
/** What is done while a call of `pause` is under way. */
let meanwhile: () => Promise<void> = async () => undefined;
/** What calls of `reach` could reach, in order. */
const reached: Pick<ToolContext, 'read_roots' | 'network'>[] = [];

const tool = (name: string, run: ToolDefinition['run']): ToolDefinition => ({
  name,
  description: name,
  effect: 'idempotent',
  timeout_ms: 20_000,
  input: z.strictObject({}),
  unavailable: () => null,
  run,
});
const pause = tool('pause', async () => {
  await meanwhile();
  return { text: 'paused' };
});
const reach = tool('reach', async (_, { read_roots, network }) => {
  reached.push({ read_roots, network });
  return { text: 'reached' };
});

beforeAll(async () => {
  attempts = await openAttemptWorld([pause, reach]);
  runner = await attempts.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await attempts.world.drop();
});

const openSession = async (grants: object) => {
  const intake = attempts.intake(runner);
  const input = { grants: grants as Record<string, never> };
  const { body } = await intake.createSession(attempts.caller, input, null);
  meanwhile = () => intake.endSession(attempts.caller, body.id);
  return body.id;
};

test('a tool that a session freed is asked about from the moment that the session ends', async () => {
  const session_id = await openSession({ tools: ['send', 'pause'] });
  const calls = [call('1', 'send', 'before'), call('2', 'pause', {}), call('3', 'send', 'after')];
  const replies = [reply('', ...calls), reply('done')];
  const task = await attempts.begin(runner, replies, { session_id, approval_mode: 'manual' });
  await attempts.untilParked(runner, task, 'approval');
  expect(attempts.deeds).toEqual(['send before']);
  const [asked] = await attempts.events(task, 'approval.requested');
  expect(asked?.data).toMatchObject({ tool: 'send' });
});

test('what a session lets calls reach is out of reach from the moment that it ends', async () => {
  const grants = { read_roots: ['/b'], network: true };
  const session_id = await openSession(grants);
  const calls = [call('1', 'reach', {}), call('2', 'pause', {}), call('3', 'reach', {})];
  const replies = [reply('', ...calls), reply('done')];
  const own = { session_id, read_roots: ['/a'], approval_mode: 'disabled' as const };
  const task = await attempts.begin(runner, replies, own);
  await attempts.untilEvent(task, 'subtask.verifying');
  expect(reached).toEqual([
    { read_roots: ['/a', '/b'], network: true },
    { read_roots: ['/a'], network: false },
  ]);
});
