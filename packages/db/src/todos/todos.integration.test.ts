import { todoLimits } from '@loom/shared/todo';
import type { ClaimedUnit } from '@loom/shared/work';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openTurnWorld, type TurnWorld } from '../test-support/turn-world.ts';
import { closeTodo } from './close-todo.ts';
import { createTodos } from './create-todos.ts';
import { loadTurnTodos } from './load-turn-todos.ts';
import { newestTurn } from './newest-turn.ts';

let world: TurnWorld;
let unit: ClaimedUnit;

beforeAll(async () => {
  world = await openTurnWorld();
});
beforeEach(async () => {
  const { session_id, turn_id, epoch } = await world.begin(await world.newSession());
  const nothing = { task_id: null, subtask_id: null, attempt: null };
  const owned = { unit_id: turn_id, epoch, session_id, turn_id };
  unit = { ...nothing, ...owned, queue: 'turns', tenant_id: 'default', metered: false };
});

const titled = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `t${n}` }));
const create = (call_key: string, count = 2, of = unit) =>
  createTodos(world.database, { unit: of, call_key, items: titled(count) });
const load = (tenant_id = 'default') =>
  loadTurnTodos(world.database, { tenant_id, turn_id: unit.turn_id ?? '' });

test('one call that runs in two places at once makes its todos once', async () => {
  const [one, two] = await Promise.all([create('k'), create('k')]);
  expect(one.outcome).toBe('created');
  expect(two.outcome).toBe('created');
  expect(await load()).toHaveLength(2);
});

test('two calls at once keep to the bound together', async () => {
  const results = await Promise.all([create('k', 30), create('l', 30)]);
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['created', 'full']);
  const places = (await load()).map(({ priority }) => priority);
  expect(places).toEqual(Array.from({ length: 30 }, (_, n) => n));
});

test('a turn makes no more than its share, however many of them are closed', async () => {
  await world.rows(
    `INSERT INTO todos (id, tenant_id, session_id, turn_id, call_key, position, title, status)
      SELECT 'todo_' || n || $1, 'default', $2, $1, 'k', n, 't', 'completed'
      FROM generate_series(0, $3 - 2) AS n`,
    [unit.turn_id, unit.session_id, todoLimits.in_all],
  );
  expect(await create('l')).toEqual({ outcome: 'full', open: 0, in_all: todoLimits.in_all - 1 });
  expect(await create('l', 1)).toMatchObject({ outcome: 'created' });
});

test('another tenant sees and closes nothing', async () => {
  await create('k');
  const [todo] = await load();
  const stranger = { ...unit, tenant_id: 'other' };
  const close = { todo_id: todo?.id ?? '', status: 'completed', result: 'x' } as const;
  expect(await closeTodo(world.database, { unit: stranger, ...close })).toEqual({
    outcome: 'unknown',
  });
  expect(await load('other')).toEqual([]);
});

test('a turn that has ended takes no more todos', async () => {
  await create('k');
  const { session_id, turn_id, epoch } = unit;
  const owned = { session_id: session_id ?? '', turn_id: turn_id ?? '', epoch };
  await world.commit(owned, { input: { kind: 'finished' } });
  expect(await create('l')).toEqual({ outcome: 'lost' });
  expect(await load()).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
});

test('the newest turn is the one that began last, not one that still waits', async () => {
  const key = { tenant_id: 'default', session_id: unit.session_id ?? '' };
  await world.send(key.session_id, 'and then');
  expect(await newestTurn(world.database, key)).toBe(unit.turn_id);
  expect(await newestTurn(world.database, { ...key, tenant_id: 'other' })).toBeNull();
});
