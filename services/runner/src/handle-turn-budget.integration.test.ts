import { upsertTenantBudget } from '@loom/db/session-budget';
import { caller } from '@loom/runtime/test-support/runtime-world';
import { AppError } from '@loom/shared/app-error';
import type { ModelReply } from '@loom/shared/chat';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './test-support/attempt-world.ts';
import { reply, scriptedModels } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;

beforeAll(async () => {
  world = await openTurnWorld();
  runner = await world.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await world.drop();
});

const budget = async (id: string) =>
  (
    await world.rows<Record<string, number>>(
      `SELECT tokens, cost_micros, model_calls, tool_calls, mutating_tool_calls, model_calls_held AS models_held,
        tool_calls_held AS tools_held FROM budgets WHERE id = $1`,
      [id],
    )
  )[0];

const lastEvent = async (session: string) => (await world.events(session)).at(-1);

test('calls are counted; the one too many is not made, and the turn says which budget and how to raise it', async () => {
  const priced: ModelReply = { ...reply('', call('1', 'put', 'a')), cost_micros: 250 };
  const { session, turn } = await world.begin(runner, [priced, reply('never')], {
    budget: { max_model_calls: 1 },
  });
  await world.untilStatus(turn, 'failed');
  expect(world.asked()).toHaveLength(1);
  expect(world.deeds).toEqual(['put a']);
  expect(await budget(session)).toEqual({
    tokens: 2,
    cost_micros: 250,
    model_calls: 1,
    tool_calls: 1,
    mutating_tool_calls: 1,
    models_held: 0,
    tools_held: 0,
  });
  const failed = await lastEvent(session);
  expect(failed).toMatchObject({
    type: 'turn.failed',
    data: {
      code: 'budget_exhausted',
      budget: 'max_model_calls',
      scope: 'session',
      used: 1,
      limit: 1,
    },
  });
  const { message } = failed?.data ?? {};
  expect(message).toContain('max_model_calls does not allow the next step: 1 of 1 used');
  expect(message).toContain(`POST /api/sessions/${session}/budget`);

  world.script(reply('again'));
  await runner.intake.setSessionBudget(caller, session, { max_model_calls: 2 });
  const next = await world.send(runner, session);
  await world.untilStatus(next, 'completed');
});

test('of a batch that does not fit, nothing is done', async () => {
  const calls = [call('1', 'look', 'a'), call('2', 'put', 'b'), call('3', 'send', 'c')];
  const { session, turn } = await world.begin(runner, [reply('', ...calls)], {
    budget: { max_mutating_tool_calls: 1 },
  });
  await world.untilStatus(turn, 'failed');
  expect(world.deeds).toEqual([]);
  expect((await lastEvent(session))?.data).toMatchObject({ budget: 'max_mutating_tool_calls' });
});

test('tokens end a conversation once they are used up', async () => {
  const replies = [reply('', call('1', 'look', 'a')), reply('', call('2', 'look', 'b'))];
  const { session, turn } = await world.begin(runner, replies, { budget: { max_tokens: 3 } });
  await world.untilStatus(turn, 'failed');
  expect((await lastEvent(session))?.data).toMatchObject({ budget: 'max_tokens', used: 4 });
  expect(world.deeds).toEqual(['look a']);
});

test('a turn that waits for a person or a model holds nothing', async () => {
  const { session, turn } = await world.begin(
    runner,
    [reply('', call('1', 'look', 'a'), call('2', 'send', 'b')), reply('ok')],
    { approval_mode: 'manual', budget: { max_tool_calls: 2, max_model_calls: 2 } },
  );
  await world.untilParked(runner, turn, 'approval');
  expect(await budget(session)).toMatchObject({ tool_calls: 1, tools_held: 0, models_held: 0 });
  const [asked] = await world.approvals(turn);
  await runner.intake.decideApproval(caller, asked?.id ?? '', {
    decision: 'approve',
    scope: 'once',
  });
  await world.untilStatus(turn, 'completed');
  expect(await budget(session)).toMatchObject({ tool_calls: 2, model_calls: 2, tools_held: 0 });

  const limited = new AppError('model_rate_limited', 'Later.', {
    retryable: true,
    details: { retry_after_ms: 50_000 },
  });
  const second = await world.begin(runner, [limited, reply('ok')], {
    budget: { max_model_calls: 1 },
  });
  await world.untilParked(runner, second.turn, 'model');
  expect(await budget(second.session)).toMatchObject({ model_calls: 0, models_held: 0 });
  await world.passTime(second.turn);
  await world.untilStatus(second.turn, 'completed');
  expect(await budget(second.session)).toMatchObject({ model_calls: 1, models_held: 0 });
});

test("two processes together make no call beyond the tenant's budget", async () => {
  const tenant_id = caller.tenant_id;
  const other = await world.startRunner();
  await upsertTenantBudget(runner.runtime.db.pool, { tenant_id, limits: { max_model_calls: 3 } });
  const endless = scriptedModels([]);
  world.useModels({
    ...endless,
    complete: async (request) => {
      endless.asked.push(request);
      return reply('done');
    },
  });
  const sessions = await Promise.all(
    Array.from({ length: 8 }, (_, n) => world.newSession(n % 2 ? runner : other)),
  );
  const turns = await Promise.all(
    sessions.map((session, n) => world.send(n % 2 ? runner : other, session)),
  );
  const ended = async () =>
    world.rows<{ status: string }>(
      `SELECT status FROM turns WHERE id = ANY($1) AND ended_at IS NOT NULL`,
      [turns],
    );
  while ((await ended()).length < turns.length);
  const completed = (await ended()).filter(({ status }) => status === 'completed');
  expect(completed).toHaveLength(3);
  expect(endless.asked).toHaveLength(3);
  expect(await budget(tenant_id)).toMatchObject({ model_calls: 3, models_held: 0 });
  const [failed] = await world.rows<{ error: { message: string; scope: string } }>(
    `SELECT error FROM turns WHERE id = ANY($1) AND status = 'failed' LIMIT 1`,
    [turns],
  );
  expect(failed?.error).toMatchObject({ scope: 'tenant' });
  expect(failed?.error.message).toContain('[tenants.default] in loom.toml');
  await upsertTenantBudget(runner.runtime.db.pool, { tenant_id, limits: {} });
  await other.stop();
});

test('what a killed process was granted is used by the next, not asked for again', async () => {
  const other = await world.startRunner();
  // The first process is in the middle of its call when it is told to go: the call came to nothing.
  let begun: () => void = () => undefined;
  const inCall = new Promise<void>((resolve) => {
    begun = resolve;
  });
  world.useModels(
    scriptedModels([
      (request) => {
        begun();
        return new Promise((_, reject) => {
          request.signal?.addEventListener('abort', () => reject(new Error('gone')));
        });
      },
      reply('here'),
    ]),
  );
  await runner.stop();
  const session = await world.newSession(other, { budget: { max_model_calls: 1 } });
  const turn = await world.send(other, session);
  await inCall;
  expect(await budget(session)).toMatchObject({ models_held: 1 });
  other.runtime.keeper.abortAll('the process is killed');
  runner = await world.startRunner();
  await world.untilStatus(turn, 'completed');
  await other.stop();
  expect(await budget(session)).toMatchObject({ model_calls: 1, models_held: 0 });
});
