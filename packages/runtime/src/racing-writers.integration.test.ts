import { nothingSpent } from '@loom/shared/budget';
import { newTask } from '@loom/testing/builders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntake } from './intake.ts';
import { caller, onePlan, openWorld } from './test-support/runtime-world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.drop());

test('R16: racing writers leave a log without holes or repeats', async () => {
  const runtimes = await Promise.all([world.openRuntime(1), world.openRuntime(1)]);
  const [first] = runtimes;
  if (first === undefined) throw new Error('no runtime');
  const { body } = await createIntake(first.runtime).createTask(
    caller,
    newTask({ plan: onePlan('w') }),
    null,
  );
  const unit_id = `${body.id}.w.1`;
  await first.runtime.committer.add({ kind: 'claim', task_id: body.id, unit_id, epoch: 0 });
  const writers = 50;
  const results = await Promise.all(
    Array.from({ length: writers }, (_, index) =>
      runtimes[index % 2]?.runtime.committer.add({
        kind: 'work',
        task_id: body.id,
        fence: { unit_id, epoch: 1 },
        journal: [{ role: 'assistant', content: `${index}` }],
        journal_from: index,
        ledger: [],
        events: [
          { type: 'tool.call', data: { index } },
          { type: 'tool.result', data: { index } },
        ],
        spent: { ...nothingSpent, tokens: 1, tool_calls: 1 },
        actions: [],
        wants: null,
        model: null,
        input: null,
        park: null,
      }),
    ),
  );
  expect(new Set(results.map((result) => result?.outcome))).toEqual(new Set(['applied']));
  const rows = await world.rows<{ seq: number; type: string; index: number | null }>(
    `SELECT seq, type, (data->>'index')::int AS index FROM events WHERE task_id = $1 ORDER BY seq`,
    [body.id],
  );
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  const written = rows.filter(({ index }) => index !== null);
  expect(written).toHaveLength(2 * writers);
  // What one writer adds stays together.
  for (let at = 0; at < written.length; at += 2)
    expect(written[at]?.index).toBe(written[at + 1]?.index);
  const [task] = await world.rows<{ last_seq: number; tool_calls: number }>(
    'SELECT last_seq, tool_calls FROM tasks WHERE id = $1',
    [body.id],
  );
  expect(task).toEqual({ last_seq: rows.length, tool_calls: writers });
  await createIntake(first.runtime).stopTask(caller, body.id, 'abort');
  for (const { close } of runtimes) await close();
});

test('a stop and a retry in one set leave what the retry started', async () => {
  const { runtime, close } = await world.openRuntime(1);
  const { body } = await createIntake(runtime).createTask(
    caller,
    newTask({ plan: onePlan('r') }),
    null,
  );
  const control = { kind: 'control', task_id: body.id, tenant_id: caller.tenant_id } as const;
  await Promise.all([
    runtime.committer.add({
      ...control,
      input: { kind: 'stop_requested', mode: 'abort', by: 'x' },
    }),
    runtime.committer.add({
      ...control,
      input: { kind: 'retry_requested', by: 'x', subtask_id: null, reuse_plan: true },
    }),
  ]);
  const units = await world.rows('SELECT id, status FROM units WHERE task_id = $1 ORDER BY id', [
    body.id,
  ]);
  expect(units).toEqual([
    { id: `${body.id}.r.1`, status: 'withdrawn' },
    { id: `${body.id}.r.2`, status: 'waiting' },
  ]);
  await createIntake(runtime).stopTask(caller, body.id, 'abort');
  await close();
});
