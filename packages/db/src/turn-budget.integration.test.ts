import { decideTurn } from '@loom/engine/decide-turn';
import { type BudgetLimits, nothingSpent, nothingWanted } from '@loom/shared/budget';
import { newId } from '@loom/shared/ids';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockSession } from './accept-turn.ts';
import type { TurnChangeResult } from './commit-turn.ts';
import { releaseUnit } from './leases.ts';
import { loadTurn } from './load-turn.ts';
import { insertSessionBudget, setSessionBudget, upsertTenantBudget } from './session-budget.ts';
import {
  maxStarts,
  type OwnedTurn,
  openTurnWorld,
  type TurnWorld,
} from './test-support/turn-world.ts';
import { inTransaction } from './transaction.ts';
import { applyTurnInput, readTurn } from './turn-rows.ts';

let world: TurnWorld;
/** Every test has a tenant of its own: tenants have budgets too. */
let tenant_id: string;
beforeAll(async () => {
  world = await openTurnWorld();
});
beforeEach(async () => {
  tenant_id = newId('ws');
  await world.rows('INSERT INTO tenants (id) VALUES ($1)', [tenant_id]);
});

const oneCall = { ...nothingWanted, model_calls: 1 };
const called = { ...nothingSpent, tokens: 10, cost_micros: 500, model_calls: 1 };

const begin = async (limits: BudgetLimits | null): Promise<OwnedTurn> => {
  const session_id = await world.newSession(tenant_id);
  await inTransaction(world.database, (client) =>
    insertSessionBudget(client, { session_id, tenant_id, limits: limits ?? {} }),
  );
  return world.begin(session_id, 'hello', tenant_id);
};

const granted = (result: TurnChangeResult) =>
  result.outcome === 'applied' && result.metered && result.refused === null;
const refusal = (result: TurnChangeResult) =>
  result.outcome === 'applied' ? result.refused : result.outcome;

const budget = async (id: string) =>
  (
    await world.rows<Record<string, unknown>>(
      `SELECT tokens, cost_micros, model_calls, tool_calls, mutating_tool_calls, model_calls_held,
        tool_calls_held, mutating_tool_calls_held FROM budgets WHERE id = $1`,
      [id],
    )
  )[0];

const nothing = {
  tokens: 0,
  cost_micros: 0,
  model_calls: 0,
  tool_calls: 0,
  mutating_tool_calls: 0,
  model_calls_held: 0,
  tool_calls_held: 0,
  mutating_tool_calls_held: 0,
};

const briefOf = ({ session_id, turn_id, epoch }: OwnedTurn) =>
  loadTurn(world.database, {
    unit_id: turn_id,
    epoch,
    queue: 'turns',
    tenant_id,
    task_id: null,
    subtask_id: null,
    attempt: null,
    session_id,
    turn_id,
    metered: true,
  });

describe('a turn that no budget limits', () => {
  test('is not asked, and holds nothing', async () => {
    const turn = await begin(null);
    const result = await world.commit(turn, { wants: oneCall });
    expect(result).toMatchObject({ metered: false, held: null, refused: null });
    expect(await world.rows('SELECT 1 FROM budgets WHERE id = $1', [turn.session_id])).toEqual([]);
    expect(await briefOf(turn)).toMatchObject({ metered: false, held: null });
  });

  test('limits of 0 are none', async () => {
    const turn = await begin({ max_model_calls: 0, max_tokens: 0 });
    expect(await world.commit(turn, { wants: oneCall })).toMatchObject({ metered: false });
  });
});

describe('asking', () => {
  test('holds what is wanted, settles what was spent, and refuses what does not fit', async () => {
    const turn = await begin({ max_model_calls: 2 });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    expect(await budget(turn.session_id)).toEqual({ ...nothing, model_calls_held: 1 });
    expect(await world.commit(turn, { spent: called })).toMatchObject({
      held: { model_calls: 0 },
      refused: null,
    });
    expect(await budget(turn.session_id)).toEqual({ ...nothing, ...called });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    await world.commit(turn, { spent: called });
    expect(refusal(await world.commit(turn, { wants: oneCall }))).toEqual({
      budget: 'max_model_calls',
      scope: 'session',
      used: 2,
      limit: 2,
    });
    expect(await budget(turn.session_id)).toMatchObject({ model_calls: 2, model_calls_held: 0 });
  });

  test('a new wish takes the place of the old one', async () => {
    const turn = await begin({ max_tool_calls: 3 });
    const three = { ...nothingWanted, tool_calls: 3, mutating_tool_calls: 2 };
    expect(granted(await world.commit(turn, { wants: three }))).toBe(true);
    const spent = { ...nothingSpent, tool_calls: 1, mutating_tool_calls: 1 };
    await world.commit(turn, { spent });
    expect(await budget(turn.session_id)).toMatchObject({
      tool_calls: 1,
      tool_calls_held: 2,
      mutating_tool_calls_held: 1,
    });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    expect(await budget(turn.session_id)).toMatchObject({
      tool_calls_held: 0,
      model_calls_held: 1,
    });
  });

  test('tokens and money are refused once they are used up', async () => {
    const tokens = await begin({ max_tokens: 15 });
    await world.commit(tokens, { spent: called });
    expect(granted(await world.commit(tokens, { wants: oneCall }))).toBe(true);
    await world.commit(tokens, { spent: called });
    expect(refusal(await world.commit(tokens, { wants: oneCall }))).toMatchObject({
      budget: 'max_tokens',
      used: 20,
      limit: 15,
    });
    const money = await begin({ max_cost_usd: 0.0005 });
    await world.commit(money, { spent: called });
    expect(refusal(await world.commit(money, { wants: oneCall }))).toMatchObject({
      budget: 'max_cost_usd',
      used: 0.0005,
    });
  });

  test("the tenant's budget holds over all of its sessions: of many who want the last call one gets it", async () => {
    const turns = await Promise.all(Array.from({ length: 8 }, () => begin(null)));
    for (let limit = 1; limit <= 5; limit++) {
      const limits = { max_model_calls: limit };
      await upsertTenantBudget(world.database.pool, { tenant_id, limits });
      const asked = await Promise.all(turns.map((turn) => world.commit(turn, { wants: oneCall })));
      expect(asked.filter(granted)).toHaveLength(1);
      const refused = asked.map(refusal).filter((found) => found !== null);
      const last = { budget: 'max_model_calls', scope: 'tenant', used: limit, limit };
      expect(refused[0]).toEqual(last);
      const winner = turns[asked.findIndex(granted)];
      if (winner !== undefined) await world.commit(winner, { spent: called });
    }
    expect(await budget(tenant_id)).toMatchObject({ model_calls: 5, model_calls_held: 0 });
  });

  test('the nearest budget is the one that is named', async () => {
    await upsertTenantBudget(world.database.pool, { tenant_id, limits: { max_tokens: 1 } });
    const turn = await begin({ max_tokens: 1 });
    await world.commit(turn, { spent: called });
    expect(refusal(await world.commit(turn, { wants: oneCall }))).toMatchObject({
      scope: 'session',
    });
    expect(await budget(tenant_id)).toMatchObject({ tokens: 10 });
  });

  test('is no progress: a turn that dies at every call it makes is given up', async () => {
    const turn = await begin({ max_model_calls: 9 });
    for (let epoch = 1; epoch < maxStarts; epoch++) {
      await world.commit({ ...turn, epoch }, { wants: oneCall });
      const fence = { unit_id: turn.turn_id, epoch };
      await releaseUnit(world.database, fence, { error: 'boom', counts_as_start: true });
      expect(await world.claim(turn.turn_id, epoch)).toMatchObject({ outcome: 'claimed' });
      expect(await world.unitRow(turn.turn_id)).toMatchObject({ starts: epoch + 1 });
    }
  });
});

describe('what is held', () => {
  test('passes to the next owner, who takes no second hold', async () => {
    const turn = await begin({ max_model_calls: 1 });
    await world.commit(turn, { wants: oneCall });
    const fence = { unit_id: turn.turn_id, epoch: 1 };
    await releaseUnit(world.database, fence, { error: 'killed', counts_as_start: true });
    await world.claim(turn.turn_id, 1);
    expect(await briefOf(turn)).toMatchObject({ metered: true, held: { model_calls: 1 } });
    const owner = { ...turn, epoch: 2 };
    // Even one that asks again holds one call, not two.
    expect(granted(await world.commit(owner, { wants: oneCall }))).toBe(true);
    expect(await budget(turn.session_id)).toEqual({ ...nothing, model_calls_held: 1 });
    await world.commit(owner, { spent: called, input: { kind: 'finished' } });
    expect(await budget(turn.session_id)).toEqual({ ...nothing, ...called });
  });

  test.each([
    { kind: 'model_away', seconds: 5, reason: 'away' },
    { kind: 'parked', on: 'user' },
    { kind: 'failed', error: { code: 'x', message: 'x' } },
    { kind: 'stopped' },
  ] as const)('is given back when the turn parks or ends: $kind', async (input) => {
    const turn = await begin({ max_model_calls: 1 });
    await world.commit(turn, { wants: oneCall });
    await world.commit(turn, { input });
    expect(await budget(turn.session_id)).toEqual(nothing);
    expect(await world.rows('SELECT held FROM turns WHERE id = $1', [turn.turn_id])).toEqual([
      { held: null },
    ]);
  });

  test('is given back when a turn whose worker died is cancelled, or given up', async () => {
    const cancelled = await begin({ max_model_calls: 1 });
    await world.commit(cancelled, { wants: oneCall });
    await inTransaction(world.database, async (client) => {
      const session = await lockSession(client, tenant_id, cancelled.session_id);
      const turn = await readTurn(client, cancelled.turn_id);
      if (turn === null) throw new Error('no turn');
      const input = { kind: 'stop_requested', by: 'key_stop' } as const;
      await applyTurnInput({ client, decide: decideTurn, session, turn, input, lines: [] });
    });
    expect(await budget(cancelled.session_id)).toEqual({ ...nothing, model_calls_held: 1 });
    const fence = { unit_id: cancelled.turn_id, epoch: 1 };
    await releaseUnit(world.database, fence, { error: 'killed', counts_as_start: true });
    expect(await world.claim(cancelled.turn_id, 1)).toMatchObject({ outcome: 'refused' });
    expect(await budget(cancelled.session_id)).toEqual(nothing);

    const dead = await begin({ max_model_calls: 1 });
    await world.commit(dead, { wants: oneCall });
    for (let epoch = 1; epoch <= maxStarts; epoch++) {
      const lost = { unit_id: dead.turn_id, epoch };
      await releaseUnit(world.database, lost, { error: 'boom', counts_as_start: true });
      await world.claim(dead.turn_id, epoch);
    }
    expect(await world.turnRow(dead.turn_id)).toMatchObject({ status: 'failed' });
    expect(await budget(dead.session_id)).toEqual(nothing);
  });

  test('a stale owner neither asks nor spends', async () => {
    const turn = await begin({ max_model_calls: 1 });
    const fence = { unit_id: turn.turn_id, epoch: 1 };
    await releaseUnit(world.database, fence, { error: null, counts_as_start: false });
    await world.claim(turn.turn_id, 1);
    expect(await world.commit(turn, { wants: oneCall, spent: called })).toEqual({
      outcome: 'refused',
    });
    expect(await budget(turn.session_id)).toEqual(nothing);
  });
});

describe('setting a budget', () => {
  const set = (session_id: string, limits: BudgetLimits) =>
    inTransaction(world.database, async (client) => {
      await lockSession(client, tenant_id, session_id);
      await setSessionBudget(client, { session_id, tenant_id, limits });
    });

  test('holds from the next write of a running turn on', async () => {
    const turn = await begin(null);
    await set(turn.session_id, { max_model_calls: 1 });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    await world.commit(turn, { spent: called });
    expect(refusal(await world.commit(turn, { wants: oneCall }))).not.toBeNull();
  });

  test('raising goes on from what was spent; lifting forgets nothing', async () => {
    const turn = await begin({ max_model_calls: 1 });
    await world.commit(turn, { spent: called });
    await set(turn.session_id, { max_model_calls: 2 });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    await set(turn.session_id, {});
    expect(await budget(turn.session_id)).toMatchObject({ model_calls: 1, model_calls_held: 1 });
    await world.commit(turn, { spent: called });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    await set(turn.session_id, { max_model_calls: 1 });
    expect(refusal(await world.commit(turn, { wants: oneCall }))).toMatchObject({ used: 2 });
    expect(
      await world.rows('SELECT budget FROM sessions WHERE id = $1', [turn.session_id]),
    ).toEqual([{ budget: { max_model_calls: 1 } }]);
  });

  test('a hold is given back to the budgets it was taken from, not to later ones', async () => {
    await upsertTenantBudget(world.database.pool, { tenant_id, limits: { max_model_calls: 9 } });
    const early = await begin(null);
    await world.commit(early, { wants: oneCall });
    await set(early.session_id, { max_model_calls: 9 });
    // Someone else of the session holds one call in the new budget.
    await world.rows('UPDATE budgets SET model_calls_held = 1 WHERE id = $1', [early.session_id]);
    await world.commit(early, { input: { kind: 'finished' } });
    expect(await budget(early.session_id)).toMatchObject({ model_calls_held: 1 });
    expect(await budget(tenant_id)).toMatchObject({ model_calls_held: 0 });
  });

  test('a tenant keeps what it spent when its limits change', async () => {
    await upsertTenantBudget(world.database.pool, { tenant_id, limits: { max_model_calls: 1 } });
    const turn = await begin(null);
    await world.commit(turn, { spent: called });
    await upsertTenantBudget(world.database.pool, { tenant_id, limits: {} });
    expect(granted(await world.commit(turn, { wants: oneCall }))).toBe(true);
    expect(await budget(tenant_id)).toMatchObject({ model_calls: 1 });
  });
});
