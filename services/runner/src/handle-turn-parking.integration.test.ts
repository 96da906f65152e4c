import { caller } from '@loom/runtime/test-support/runtime-world';
import { AppError } from '@loom/shared/app-error';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { call } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;

beforeAll(async () => {
  world = await openTurnWorld();
});
afterAll(() => world.drop());
beforeEach(async () => {
  runner = await world.startRunner({
    execution: { model_park_base_delay_seconds: 0.2, model_park_max_delay_seconds: 0.3 },
    cowork: { max_parked_seconds: 60 },
  });
});
afterEach(() => runner.stop());

const limited = (retry_after_ms?: number) =>
  new AppError('model_rate_limited', 'The model is limiting requests.', {
    retryable: true,
    details: { model: 'scripted', ...(retry_after_ms === undefined ? {} : { retry_after_ms }) },
  });
const away = () => new AppError('model_unavailable', 'Nobody is there.', { retryable: true });

const parked = async (session: string) =>
  (await world.events(session, 'model.parked')).map(({ data }) => data);

test('a model that limits requests parks the turn for as long as it asks; then it goes on by itself', async () => {
  const { session, turn } = await world.begin(runner, [limited(40_000), reply('here')]);
  await world.untilParked(runner, turn, 'model');
  expect(await world.statusOf(turn)).toBe('queued');
  await world.passTime(turn);
  await world.untilStatus(turn, 'completed');
  expect(await parked(session)).toMatchObject([
    { reason: 'model_rate_limited', seconds: 40, role: 'cowork', model: 'scripted' },
  ]);
  const types = (await world.events(session, 'turn.')).map(({ type }) => type);
  expect(types).toEqual([
    'turn.queued',
    'turn.started',
    'turn.parked',
    'turn.started',
    'turn.completed',
  ]);
});

test('waits grow in a row, and begin anew once the model has answered', async () => {
  const replies = [away(), away(), reply('', call('1', 'look', 'a')), away(), reply('here')];
  const { session, turn } = await world.begin(runner, replies);
  await world.untilStatus(turn, 'completed');
  expect((await parked(session)).map(({ seconds }) => seconds)).toEqual([0.2, 0.3, 0.2]);
  expect(world.deeds).toEqual(['look a']);
});

test('a turn that has waited long enough fails with what the model said', async () => {
  await runner.stop();
  runner = await world.startRunner({ cowork: { max_parked_seconds: 1 } });
  const { session, turn } = await world.begin(runner, [limited(600), limited(600), reply('late')]);
  await world.untilStatus(turn, 'failed');
  expect(await parked(session)).toHaveLength(1);
  expect((await world.events(session)).at(-1)).toMatchObject({
    type: 'turn.failed',
    data: { code: 'model_rate_limited', message: 'The model is limiting requests.' },
  });
});

test('a failure that waiting does not mend is one at once', async () => {
  const refused = new AppError('model_rejected', 'The key is wrong.');
  const { session, turn } = await world.begin(runner, [refused]);
  await world.untilStatus(turn, 'failed');
  expect(await parked(session)).toEqual([]);
});

test('cancelled while it waits, a turn ends at once, and the next one is not kept waiting', async () => {
  const { session, turn } = await world.begin(runner, [limited(50_000), reply('to the second')]);
  await world.untilParked(runner, turn, 'model');
  const next = await world.send(runner, session);
  await runner.intake.cancelTurn(caller, session, turn);
  expect(await world.statusOf(turn)).toBe('cancelled');
  await world.untilStatus(next, 'completed');
});

test('a parked turn outlives its process', async () => {
  const { turn } = await world.begin(runner, [limited(50_000), reply('here')]);
  await world.untilParked(runner, turn, 'model');
  await runner.stop();
  runner = await world.startRunner();
  await world.passTime(turn);
  await world.untilStatus(turn, 'completed');
  expect(world.asked()).toHaveLength(2);
});
