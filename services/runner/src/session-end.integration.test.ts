import { caller } from '@loom/runtime/test-support/runtime-world';
import type { CreateSession } from '@loom/shared/api';
import type { ToolDefinition } from '@loom/shared/tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { reply } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;
/** What is done while a call of `pause` is under way. */
let meanwhile: () => Promise<void> = async () => undefined;

const pause: ToolDefinition = {
  name: 'pause',
  description: 'pause',
  effect: 'effectful',
  timeout_ms: 20_000,
  input: z.strictObject({}),
  unavailable: () => null,
  run: async () => {
    await meanwhile();
    return { text: 'paused' };
  },
};

beforeAll(async () => {
  world = await openTurnWorld([pause]);
  runner = await world.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await world.drop();
});

const send = (id: string, what: string) => ({ id, name: 'send', arguments: { what } });
const manual: CreateSession = { approval_mode: 'manual', grants: { tools: ['send', 'pause'] } };

test('what a session granted is used until it ends, and not after', async () => {
  const calls = [
    send('1', 'before'),
    { id: '2', name: 'pause', arguments: {} },
    send('3', 'after'),
  ];
  let sessionId: (id: string) => void = () => undefined;
  const known = new Promise<string>((resolve) => {
    sessionId = resolve;
  });
  meanwhile = async () => runner.intake.endSession(caller, await known);
  const begun = await world.begin(runner, [reply('', ...calls), reply('done')], manual);
  sessionId(begun.session);
  await world.untilStatus(begun.turn, 'cancelled');
  expect(world.deeds).toEqual(['send before']);
  expect(world.asked()).toHaveLength(1);
  expect(await world.approvals(begun.turn)).toEqual([]);
});

test('a question of an ended session cannot be answered with a yes any more', async () => {
  const session = { approval_mode: 'manual' } as const;
  const begun = await world.begin(runner, [reply('', send('1', 'x')), reply('done')], session);
  await world.untilParked(runner, begun.turn, 'approval');
  await runner.intake.endSession(caller, begun.session);
  const [question] = await world.approvals(begun.turn);
  expect(question?.status).toBe('denied');
  const yes = { decision: 'approve', scope: 'session' } as const;
  await expect(runner.intake.decideApproval(caller, question?.id ?? '', yes)).rejects.toMatchObject(
    { code: 'conflict' },
  );
  expect(await world.statusOf(begun.turn)).toBe('cancelled');
  expect(world.deeds).toEqual([]);
});
