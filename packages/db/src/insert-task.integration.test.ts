import { decideTask } from '@loom/engine/decide-task';
import { configSchema } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { JsonObject } from '@loom/shared/json';
import { planSchema } from '@loom/shared/plan';
import { taskPolicy } from '@loom/shared/task-policy';
import { newTask } from '@loom/testing/builders';
import { beforeAll, expect, test } from 'vitest';
import { lockSession } from './accept-turn.ts';
import { commitTaskInput } from './commit-tasks.ts';
import { insertTask } from './insert-task.ts';
import { loadAttempt, readableRoots } from './load-attempt.ts';
import { openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { inTransaction } from './transaction.ts';
import { endSession } from './write-session.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});

const plan = planSchema.parse({ subtasks: [{ id: 'a', description: 'do a' }] });
/** Starts a task of one subtask. */
async function start(session_id: string | null, read_roots?: string[]): Promise<string> {
  const id = newId('task');
  const origin = {
    id,
    tenant_id: 'default',
    turn_id: null,
    tool_call_id: null,
    turn_waits: false,
    depth: 0,
    max_parallel: 5,
    policy: taskPolicy(configSchema.parse({}), { in_session: session_id !== null }),
  };
  const input = { kind: 'created', plan } as const;
  await inTransaction(world.database, async (client) => {
    const roots = read_roots === undefined ? {} : { read_roots };
    await insertTask(client, newTask({ ...roots, session_id }), origin);
    const change = { kind: 'control', task_id: id, tenant_id: 'default', input } as const;
    await commitTaskInput(client, change, decideTask);
  });
  return id;
}

/** What a worker learns of the task's first attempt. */
async function reach(task_id: string) {
  const brief = await loadAttempt(world.database, {
    unit_id: `${task_id}.a.1`,
    epoch: 1,
    queue: 'subtasks',
    tenant_id: 'default',
    task_id,
    subtask_id: 'a',
    attempt: 1,
    session_id: null,
    turn_id: null,
    metered: false,
  });
  if (brief === null) throw new Error('no attempt');
  const { task, granted } = brief;
  return { ...granted, read_roots: readableRoots(task, granted) };
}

const end = (id: string) =>
  inTransaction(world.database, async (client) =>
    endSession(client, await lockSession(client, 'default', id)),
  );
const session = (grants: JsonObject) => world.newSession('default', { grants });

test('a task may read its own directories and those of its session, each once', async () => {
  const grants = { read_roots: ['/b', '/c'] };
  expect(await reach(await start(null))).toMatchObject({ read_roots: [] });
  expect(await reach(await start(null, ['/a']))).toMatchObject({ read_roots: ['/a'] });
  expect(await reach(await start(await session({}), ['/a']))).toMatchObject({ read_roots: ['/a'] });
  expect(await reach(await start(await session(grants)))).toMatchObject(grants);
  const both = await start(await session(grants), ['/c', '/a']);
  expect(await reach(both)).toMatchObject({ read_roots: ['/a', '/b', '/c'] });
});

test('what is no list of paths grants nothing, and is no obstacle', async () => {
  for (const [read_roots, granted] of [
    ['/b', []],
    [{ path: '/b' }, []],
    [null, []],
    [[7, '/b', ['/c']], ['/b']],
  ] as const) {
    const id = await start(await session({ read_roots } as unknown as JsonObject));
    expect(await reach(id)).toMatchObject({ read_roots: granted });
  }
});

test('a session of another tenant grants nothing', async () => {
  const foreign = await world.newSession('other', { grants: { read_roots: ['/b'] } });
  expect(await reach(await start(foreign))).toMatchObject({ read_roots: [] });
});

test('the end of a session ends its grants, but not what a task was given itself', async () => {
  const grants = { read_roots: ['/b'], tools: ['write_file'], network: true };
  const id = await session(grants);
  const before = await start(id, ['/a']);
  expect(await reach(before)).toEqual({ ...grants, read_roots: ['/a', '/b'] });
  await end(id);
  expect(await reach(before)).toEqual({ read_roots: ['/a'], tools: [], network: false });
  expect(await reach(await start(id, ['/a']))).toMatchObject({ read_roots: ['/a'] });
});
