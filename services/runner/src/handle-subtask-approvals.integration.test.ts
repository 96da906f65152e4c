import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AttemptReply,
  call,
  openAttemptWorld,
  type Runner,
} from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';

let attempts: Awaited<ReturnType<typeof openAttemptWorld>>;
let runner: Runner;

beforeAll(async () => {
  attempts = await openAttemptWorld();
  runner = await attempts.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await attempts.world.drop();
});

const twoCalls = () => reply('', call('1', 'look', 'x'), call('2', 'send', 'x'));

/** Begins a task in which a person is asked about everything that is not a read. */
const begin = (replies: AttemptReply[], settings = {}) =>
  attempts.begin(runner, replies, { approval_mode: 'manual' }, settings);

async function asked(taskId: string, count = 1): Promise<string> {
  const requests = await attempts.untilEvent(taskId, 'approval.requested', count);
  await attempts.untilParked(runner, taskId, 'approval');
  return String(requests.at(-1)?.approval_id);
}

/** Waits for the attempt's last words; what becomes of its result is not looked at here. */
const untilDone = (taskId: string) => attempts.untilEvent(taskId, 'subtask.verifying');

const results = async (taskId: string) =>
  (await attempts.journal(taskId)).filter(({ role }) => role === 'tool').map((one) => one.content);

test('a gated call waits for a person without a worker, what stood before it is done', async () => {
  const task = await begin([twoCalls(), reply('done')]);
  const id = await asked(task);
  expect(attempts.deeds).toEqual(['look x']);
  expect(runner.runtime.slots.active('subtasks')).toBe(0);
  const [row] = await attempts.world.rows(
    'SELECT status, kind, tool, arguments, subtask_id, attempt, unit_id, call_key FROM approvals WHERE id = $1',
    [id],
  );
  expect(row).toEqual({
    status: 'pending',
    kind: 'tool',
    tool: 'send',
    arguments: { what: 'x' },
    subtask_id: 'a',
    attempt: 1,
    unit_id: `${task}.a.1`,
    call_key: `${task}.a.1/0/1`,
  });
  await attempts.intake(runner).decideApproval(attempts.caller, id, {
    decision: 'approve',
    scope: 'once',
  });
  await untilDone(task);
  expect(attempts.deeds).toEqual(['look x', 'send x']);
});

test('an approval given while no runner is there is acted on by the next one', async () => {
  const task = await begin([twoCalls(), reply('done')]);
  const id = await asked(task);
  const { intake } = attempts;
  const gateway = await attempts.world.openRuntime(0);
  await runner.stop();
  await intake({ runtime: gateway.runtime, stop: gateway.close }).decideApproval(
    attempts.caller,
    id,
    { decision: 'approve', scope: 'once' },
  );
  await gateway.close();
  expect(attempts.deeds).toEqual(['look x']);
  runner = await attempts.startRunner();
  await untilDone(task);
  expect(attempts.deeds).toEqual(['look x', 'send x']);
  expect(await results(task)).toEqual(['look of x is done', 'send of x is done']);
  expect(attempts.asked()).toHaveLength(2);
});

test('a refused call is not made, and the model learns why', async () => {
  const task = await begin([twoCalls(), reply('then not')]);
  const id = await asked(task);
  await attempts.intake(runner).decideApproval(attempts.caller, id, {
    decision: 'deny',
    reason: 'wrong address',
    scope: 'once',
  });
  await untilDone(task);
  expect(attempts.deeds).toEqual(['look x']);
  expect(await results(task)).toEqual([
    'look of x is done',
    'The user refused this call: wrong address',
  ]);
  const ledger = await attempts.world.rows('SELECT tool FROM tool_calls WHERE task_id = $1', [
    task,
  ]);
  expect(ledger).toEqual([{ tool: 'look' }]);
});

test('a call with edited arguments is made with these, and says so', async () => {
  const task = await begin([twoCalls(), reply('done')]);
  const id = await asked(task);
  await attempts.intake(runner).decideApproval(attempts.caller, id, {
    decision: 'approve',
    arguments: { what: 'y' },
    scope: 'once',
  });
  await untilDone(task);
  expect(attempts.deeds).toEqual(['look x', 'send y']);
  expect((await results(task))[1]).toBe(
    'The user changed the arguments of this call. It was made with: {"what":"y"}\nsend of y is done',
  );
});

test('a tool that was freed for the session is not asked about again', async () => {
  const task = await begin([
    twoCalls(),
    reply('', call('3', 'send', 'z'), call('4', 'put', 'z')),
    reply('done'),
  ]);
  const id = await asked(task);
  await attempts.intake(runner).decideApproval(attempts.caller, id, {
    decision: 'approve',
    scope: 'session',
  });
  const second = await asked(task, 2);
  expect(attempts.deeds).toEqual(['look x', 'send x', 'send z']);
  await attempts.intake(runner).decideApproval(attempts.caller, second, {
    decision: 'approve',
    scope: 'once',
  });
  await untilDone(task);
  expect(attempts.deeds.at(-1)).toBe('put z');
});

test.each([
  ['deny', ['look x'], 'Nobody answered in time, so this call was not made.'],
  ['approve', ['look x', 'send x'], 'send of x is done'],
] as const)(
  'a question that nobody answers acts as configured: %s',
  async (on_timeout, deeds, text) => {
    const task = await begin([twoCalls(), reply('done')], {
      approval: { timeout_seconds: 0.3, on_timeout },
    });
    await attempts.untilEvent(task, 'approval.expired');
    await untilDone(task);
    expect(attempts.deeds).toEqual(deeds);
    expect((await results(task))[1]).toBe(text);
  },
);

test('a task that is cancelled while it waits for a person ends, and the call is never made', async () => {
  const task = await begin([twoCalls(), reply('done')]);
  await asked(task);
  await attempts.intake(runner).stopTask(attempts.caller, task, 'cancel');
  await attempts.untilStatus(task, 'cancelled');
  expect(attempts.deeds).toEqual(['look x']);
});
