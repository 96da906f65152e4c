import { openTurnWorld, type TurnWorld } from '@loom/db/test-support/turn-world';
import { loadTurnTodos } from '@loom/db/todos/load-turn-todos';
import type { JsonValue } from '@loom/shared/json';
import type { ToolContext } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import { createToolRegistry } from '@loom/tools/registry';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { todoTools } from './todo-tools.ts';

let world: TurnWorld;
let unit: ClaimedUnit;
let calls = 0;

const reach: Omit<ToolContext, 'call_key'> = {
  tenant_id: 'default',
  workspace: null,
  read_roots: [],
  network: false,
  signal: new AbortController().signal,
  keep: {
    before: async () => undefined,
    artifact: async () => 'af_1',
    readArtifact: async () => null,
  },
  progress: () => undefined,
};

const beginTurn = async (): Promise<ClaimedUnit> => {
  const { session_id, turn_id, epoch } = await world.begin(await world.newSession());
  const nothing = { task_id: null, subtask_id: null, attempt: null };
  const owned = { unit_id: turn_id, epoch, session_id, turn_id };
  return { ...nothing, ...owned, queue: 'turns', tenant_id: 'default', metered: false };
};

const run = (name: string, args: JsonValue, of = unit, call_key = `${of.unit_id}/${calls++}/0`) =>
  createToolRegistry(todoTools(world.database, of), { max_output_chars: 40_000 }).run(name, args, {
    ...reach,
    call_key,
  });
const create = (...titles: string[]) =>
  run('create_todo', { items: titles.map((title) => ({ title })) });
const idsIn = (text: string) => text.match(/todo_\w+/g) ?? [];
const load = (of = unit) =>
  loadTurnTodos(world.database, { tenant_id: of.tenant_id, turn_id: of.turn_id ?? '' });

beforeAll(async () => {
  world = await openTurnWorld();
});
beforeEach(async () => {
  unit = await beginTurn();
});

test('a plan is made in one call, worked off by id, and listed with counts', async () => {
  const created = await create('first', 'second', 'third');
  expect(created).toMatchObject({ ok: true });
  expect(created.text.replaceAll(/todo_\w+/g, 'id')).toBe(
    'Created 3; 3 open.\n1. id first\n2. id second\n3. id third',
  );
  const [first = '', second = ''] = idsIn(created.text);
  const done = await run('complete_todo', { todo_id: first, outcome: 'It is there.' });
  expect(done).toMatchObject({ ok: true, text: '"first" is completed; 2 still open.' });
  const cancel = { todo_id: second, outcome: 'Not needed.', status: 'cancelled' };
  expect((await run('complete_todo', cancel)).text).toBe('"second" is cancelled; 1 still open.');
  const listed = await run('list_todo', {});
  expect(listed.text).toMatch(/^3 in all: 1 pending, 1 completed, 1 cancelled\.\n- todo_\w+ third/);
  expect(await load()).toMatchObject([
    { status: 'completed', outcome: 'It is there.' },
    { status: 'cancelled', outcome: 'Not needed.' },
    { status: 'pending', completed_at: null },
  ]);
});

test('items with an order stand among the open ones where they ask to', async () => {
  const { text } = await create('a', 'b');
  await run('complete_todo', { todo_id: idsIn(text)[0] ?? '', outcome: 'ok' });
  const items: JsonValue = [{ title: 'd', order: 2 }, { title: 'c', order: 1 }, { title: 'e' }];
  const created = await run('create_todo', { items });
  expect(created.text.replaceAll(/todo_\w+/g, 'id')).toBe(
    'Created 3; 4 open.\n1. id c\n2. id d\n4. id e',
  );
  expect((await load()).map(({ title }) => title)).toEqual(['a', 'c', 'd', 'b', 'e']);
});

test('a call that runs again makes nothing twice and answers the same', async () => {
  const key = `${unit.unit_id}/7/0`;
  const plan = {
    items: [
      { title: 'b', order: 2 },
      { title: 'a', order: 1 },
    ],
  };
  const first = await run('create_todo', plan, unit, key);
  expect(await run('create_todo', plan, unit, key)).toEqual(first);
  const close = { todo_id: idsIn(first.text)[0] ?? '', outcome: 'done' };
  const closed = await run('complete_todo', close);
  const [before] = await load();
  expect(await run('complete_todo', close)).toEqual(closed);
  expect((await load())[0]).toEqual(before);
  expect(await load()).toHaveLength(2);
});

test('another turn sees none of them and cannot close them', async () => {
  const { text } = await create('mine');
  const next = await beginTurn();
  expect((await run('list_todo', { status: 'all' }, next)).text).toContain('has no todos');
  const [id = ''] = idsIn(text);
  const refused = await run('complete_todo', { todo_id: id, outcome: 'done' }, next);
  expect(refused).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
  expect(refused.text).toBe(
    `complete_todo: There is no todo "${id}" in this turn; take an id that list_todo shows.`,
  );
  expect(await load()).toMatchObject([{ status: 'pending' }]);
});

test('what is closed stays as it is', async () => {
  const { text } = await create('a');
  const [todo_id = ''] = idsIn(text);
  await run('complete_todo', { todo_id, outcome: 'done' });
  for (const [outcome, status] of [
    ['other', 'completed'],
    ['done', 'cancelled'],
  ] as const) {
    const again = await run('complete_todo', { todo_id, outcome, status });
    expect(again).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
    expect(again.text).toContain('"a" is completed already');
  }
  expect(await load()).toMatchObject([{ status: 'completed', outcome: 'done' }]);
});

test('fifty may be open at once, and a call that would exceed that makes none', async () => {
  const many = (count: number) => create(...Array.from({ length: count }, (_, n) => `step ${n}`));
  const { text } = await many(49);
  const refused = await many(2);
  expect(refused).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
  expect(refused.text).toContain('this one has 49 and 49; create fewer');
  expect((await many(1)).text).toContain('Created 1; 50 open.');
  await run('complete_todo', { todo_id: idsIn(text)[0] ?? '', outcome: 'done' });
  expect((await many(1)).text).toContain('Created 1; 50 open.');
  expect(await load()).toHaveLength(51);
});

test('arguments that cannot be kept are refused with how to correct them', async () => {
  expect((await create('x'.repeat(201))).text).toContain('"items.0.title"');
  expect((await create('  ')).text).toContain('must say what is to be done');
  expect((await run('create_todo', { items: [] })).ok).toBe(false);
  expect((await run('complete_todo', { todo_id: 'x', outcome: ' ' })).text).toContain(
    'must say what came of it',
  );
  expect(await load()).toEqual([]);
});

test('a worker that lost the turn changes nothing', async () => {
  const { text } = await create('a');
  const stale = { ...unit, epoch: unit.epoch - 1 };
  const close = { todo_id: idsIn(text)[0] ?? '', outcome: 'done' };
  expect((await run('complete_todo', close, stale)).text).toContain('Another worker runs');
  expect((await run('create_todo', { items: [{ title: 'b' }] }, stale)).ok).toBe(false);
  expect(await load()).toMatchObject([{ title: 'a', status: 'pending' }]);
});
