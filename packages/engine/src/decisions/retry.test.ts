import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  breaks,
  completes,
  done,
  failed,
  pause,
  planMade,
  play,
  retry,
  running,
  skip,
  started,
  stop,
} from '../test-support/play.ts';
import {
  freshTask,
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  types,
  unitOf,
} from '../test-support/task-fixtures.ts';

const created: TaskInput = { kind: 'created', plan: null };
// One plan is all there is, so that a failure is the end of it.
const policy = policyOf({ max_plan_versions: 1, max_stall_recoveries: 0 });
const limits = { max_replans: 1 };
const once = { max_retries: 0 };
const shaky = planOf(
  specOf('x', once),
  specOf('y', once),
  'fine',
  specOf('after-x', { depends_on: ['x'] }),
  specOf('after-y', { depends_on: ['y'] }),
);
const begun = running(shaky, { policy, limits });
const spentReplans = { ...begun, state: withoutReplans(begun.state) };
const failedTask = play(spentReplans, ...completes('fine'), ...breaks('x'), ...breaks('y'));

function withoutReplans(state: typeof begun.state): typeof begun.state {
  return { ...state, course: { ...state.course, replans: 1 } };
}

describe('retry', () => {
  it('runs again only what failed and what waited for it, with a fresh count', () => {
    expect(failedTask.state.status).toBe('failed');
    const again = play(failedTask, retry());
    expect(statuses(again.state)).toEqual({
      x: 'queued',
      y: 'queued',
      fine: 'completed',
      'after-x': 'pending',
      'after-y': 'pending',
    });
    expect(again.state).toMatchObject({ status: 'running', errors: [], summary: null });
    expect(again.last.events[0]).toEqual({
      type: 'task.retried',
      data: { by: 'key_1', status: 'running' },
    });
    expect(again.last.units.map(({ attempt, tier }) => [attempt, tier])).toEqual([
      [2, 1],
      [2, 1],
    ]);
    const over = play(
      again,
      ...['x', 'y'].flatMap((id) => completes(id, 2)),
      ...['after-x', 'after-y'].flatMap((id) => completes(id)),
    );
    expect(over.state).toMatchObject({ status: 'completed', verification: 'verified' });
  });

  it('of one subtask leaves the others failed, and their reasons known', () => {
    const again = play(failedTask, retry('x'));
    expect(statuses(again.state)).toMatchObject({ x: 'queued', y: 'failed', 'after-x': 'pending' });
    const over = play(again, ...completes('x', 2), ...completes('after-x'));
    expect(over.state.status).toBe('failed');
    expect(over.state.errors).toMatchObject([{ code: 'tool_failed', subtask_id: 'y' }]);
  });

  it('takes another description and another tier for the subtask', () => {
    const again = play(failedTask, retry('x', { description: 'do it well', model_tier: 3 }));
    expect(subtaskIn(again.state, 'x').spec).toMatchObject({
      description: 'do it well',
      model_tier: 3,
    });
    expect(again.last.units).toMatchObject([{ subtask_id: 'x', tier: 3 }]);
    expect(subtaskIn(again.state, 'y').spec.description).toBe('do y');
  });

  it('gives a subtask that had failed the same way twice a new chance', () => {
    const twice = [...breaks('x', 1, 'same'), ...breaks('x', 2, 'same')];
    const plan = planOf(specOf('x', { is_critical_path: true }));
    const again = play(running(plan), ...twice, retry(), ...breaks('x', 3, 'same'));
    expect(statuses(again.state)).toEqual({ x: 'queued' });
  });

  it('of one subtask is possible while the rest still runs', () => {
    const half = play(spentReplans, ...breaks('x'), started('fine'));
    expect(half.state.status).toBe('running');
    const again = play(half, retry('x'));
    expect(statuses(again.state)).toMatchObject({
      x: 'queued',
      fine: 'running',
      'after-x': 'pending',
    });
  });

  it('in a paused task waits for the pause to end', () => {
    const again = play(spentReplans, ...breaks('x'), started('fine'), pause(), retry('x'));
    expect(again.state.status).toBe('paused');
    expect(statuses(again.state).x).toBe('pending');
    expect(again.last.units).toEqual([]);
    expect(again.last.events[0]?.data).toEqual({ by: 'key_1', status: 'paused' });
  });

  it('leaves the repairs of the rest alone', () => {
    const plan = planOf(specOf('x', once), specOf('key', { ...once, is_critical_path: true }));
    const repairing = running(plan, {
      limits,
      policy: policyOf({ max_plan_versions: 1, critical_path_behavior: 'queue_follow_up' }),
    });
    const half = play(
      { ...repairing, state: withoutReplans(repairing.state) },
      ...breaks('key'),
      ...breaks('x'),
    );
    expect(half.state.course.remediations).toHaveLength(1);
    const again = play(half, retry('x'));
    expect(again.state.course.remediations).toEqual(half.state.course.remediations);
    expect(statuses(again.state)).toEqual({ x: 'queued', key: 'pending' });
  });

  it('does not run what a critical failure skipped while that failure stands', () => {
    const critical = planOf(
      specOf('key', { max_retries: 0, is_critical_path: true }),
      specOf('x', once),
      specOf('later', { depends_on: ['x'] }),
    );
    const broken = play(running(critical), started('x'), ...breaks('key'), failed('x'));
    expect(statuses(broken.state)).toEqual({ key: 'failed', x: 'failed', later: 'skipped' });
    expect(statuses(play(broken, retry('x')).state)).toEqual({
      key: 'failed',
      x: 'queued',
      later: 'skipped',
    });
    expect(statuses(play(broken, retry('key')).state)).toMatchObject({
      key: 'queued',
      later: 'pending',
    });
  });

  it('leaves what a person skipped to that person', () => {
    const plan = planOf('a', specOf('b', { ...once, is_critical_path: true }));
    const broken = play(running(plan), skip('a'), ...breaks('b'));
    expect(statuses(play(broken, retry()).state)).toEqual({ a: 'skipped', b: 'queued' });
    expect(statuses(play(broken, retry('a')).state)).toMatchObject({ a: 'queued' });
  });

  it('of a cancelled task goes on where it stopped', () => {
    const plan = planOf('done', 'busy', 'judged', specOf('later', { depends_on: ['busy'] }));
    const midway = play(
      running(plan),
      ...completes('done'),
      pause('busy'),
      started('judged'),
      done('judged'),
    );
    const again = play(midway, stop('abort'), retry());
    expect(again.state).toMatchObject({ status: 'running', cancel_mode: null });
    // Nobody remembers that one of them had been paused before.
    expect(statuses(again.state)).toEqual({
      done: 'completed',
      busy: 'queued',
      judged: 'queued',
      later: 'pending',
    });
    expect(again.last.units.map(({ subtask_id, attempt }) => [subtask_id, attempt])).toEqual([
      ['busy', 2],
      ['judged', 2],
    ]);
  });

  it('of a task without a plan asks a planner again, as a new unit', () => {
    const again = play(freshTask(), created, stop('abort'), retry());
    expect(again.state).toMatchObject({ status: 'queued', cancel_mode: null, plan_attempts: 2 });
    expect(again.last.units).toEqual([unitOf('plans', { attempt: 2 })]);
    expect(again.last.events).toEqual([
      { type: 'task.retried', data: { by: 'key_1', status: 'queued' } },
    ]);
  });

  it.each([
    ['a completed task', play(running(planOf('a')), ...completes('a')), null],
    ['a running task without failures', begun, null],
    ['a task that waits for its plan', play(freshTask(), created), null],
    [
      'a task that is being cancelled',
      play(spentReplans, ...breaks('x'), started('fine'), stop('cancel')),
      null,
    ],
    ['a subtask that did not fail', failedTask, 'fine'],
    ['a subtask that does not exist', failedTask, 'ghost'],
    ['a subtask of a task without a plan', play(freshTask(), created, stop('abort')), 'a'],
  ])('changes nothing: %s', (_, { state }, subtask) => {
    expect(play(state, retry(subtask)).last).toEqual(nothingFor(state));
  });
});

describe('retry without reusing the plan', () => {
  const plan = planOf(specOf('a', { ...once, is_critical_path: true }), 'b');
  const broken = play(running(plan), ...completes('b'), ...breaks('a'));
  const again = play(broken, retry(null, { reuse_plan: false }));

  it('lets a planner look at the plan before anything runs again', () => {
    expect(again.state).toMatchObject({
      status: 'running',
      course: { replan: { reason: 'requested' } },
    });
    expect(again.last.units).toEqual([unitOf('plans')]);
    expect(statuses(again.state)).toEqual({ a: 'failed', b: 'completed' });
  });

  it('runs the new plan, and keeps what is finished', () => {
    const onward = play(again, planMade(planOf('a', 'b', 'c')));
    expect(statuses(onward.state)).toEqual({ a: 'queued', b: 'completed', c: 'queued' });
    expect(onward.state.plan_version).toBe(2);
  });

  it('fails again when the new plan breaks the contract', () => {
    const rejected = play(again, planMade(planOf('c')));
    expect(types(rejected.last.events)).toEqual(['task.plan_rejected', 'task.failed']);
    expect(rejected.state.plan_version).toBe(1);
  });
});
