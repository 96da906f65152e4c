import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  breaks,
  completes,
  done,
  failed,
  freshTask,
  planOf,
  play,
  retry,
  running,
  specOf,
  started,
  statuses,
  stop,
  types,
} from '../test-support/task-fixtures.ts';

const nothing = { events: [], units: [], withdraw: 'none', plan: null };
const created: TaskInput = { kind: 'created', plan: null };
const plan = planOf('done', 'busy', 'judged', 'queued', specOf('later', { depends_on: ['busy'] }));
const midway = play(
  running(plan),
  ...completes('done'),
  started('busy'),
  started('judged'),
  done('judged'),
);

describe('cancel', () => {
  const cancelled = play(midway, stop('cancel'));

  it('skips what is not at work and lets running attempts wrap up', () => {
    expect(statuses(cancelled.state)).toEqual({
      done: 'completed',
      busy: 'running',
      judged: 'skipped',
      queued: 'skipped',
      later: 'skipped',
    });
    expect(cancelled.state).toMatchObject({ status: 'running', cancel_mode: 'cancel' });
    expect(types(cancelled.last.events).slice(0, 2)).toEqual([
      'task.cancel_requested',
      'task.cancel_ack',
    ]);
  });

  it('withdraws nothing while an attempt runs: that unit may be waiting for a new runner', () => {
    expect(cancelled.last.withdraw).toBe('none');
  });

  it.each([
    ['is done', done('busy', 1, ['kept.md'])],
    ['fails', failed('busy')],
    ['stops', { kind: 'attempt_cancelled', subtask_id: 'busy', attempt: 1 } as const],
    ['is taken over by another runner', started('busy')],
  ])('ends when the last running attempt %s', (_, input) => {
    const { state, last } = play(cancelled, input);
    expect(state.status).toBe('cancelled');
    expect(statuses(state).busy).toBe('skipped');
    expect(last.units).toEqual([]);
    expect(last.withdraw).toBe('all');
    expect(last.events.at(-1)?.type).toBe('task.cancelled');
  });

  it('keeps the files of an attempt that wrapped up', () => {
    expect(play(cancelled, done('busy', 1, ['kept.md'])).state.files_changed).toEqual(['kept.md']);
  });

  it('ends at once when nothing runs, and then wants nobody at work any more', () => {
    for (const before of [running(planOf('a')), play(freshTask(), created)]) {
      const { state, last } = play(before, stop('cancel'));
      expect(state.status).toBe('cancelled');
      expect(last.withdraw).toBe('all');
    }
  });

  it('asked twice is harmless; abort is stronger', () => {
    expect(play(cancelled, stop('cancel')).last).toEqual({ ...nothing, state: cancelled.state });
    const aborted = play(cancelled, stop('abort'));
    expect(aborted.state).toMatchObject({ status: 'cancelled', cancel_mode: 'abort' });
    expect(aborted.last.withdraw).toBe('all');
  });
});

describe('abort', () => {
  it('ends the task at once and takes all its units', () => {
    const { state, last } = play(midway, stop('abort'));
    expect(state.status).toBe('cancelled');
    expect(statuses(state)).toEqual({
      done: 'completed',
      busy: 'skipped',
      judged: 'skipped',
      queued: 'skipped',
      later: 'skipped',
    });
    expect(last.withdraw).toBe('all');
    expect(last.units).toEqual([]);
    expect(last.events[0]).toEqual({
      type: 'task.cancel_requested',
      data: { mode: 'abort', by: 'key_1' },
    });
    expect(last.events.at(-1)?.type).toBe('task.cancelled');
  });

  it('ends a task that is being planned', () => {
    const { state, last } = play(freshTask(), created, { kind: 'planning_started' }, stop('abort'));
    expect(state).toMatchObject({ status: 'cancelled', verification: 'unverified' });
    expect(last.withdraw).toBe('all');
  });
});

it.each(['cancel', 'abort'] as const)('%s after the end changes nothing', (mode) => {
  const completed = play(running(planOf('a')), ...completes('a'));
  const broken = play(running(planOf(specOf('a', { max_retries: 0 }))), ...breaks('a'));
  const stopped = play(running(planOf('a')), stop('cancel'));
  for (const { state } of [completed, broken, stopped]) {
    expect(play(state, stop(mode)).last).toEqual({ ...nothing, state });
  }
});

describe('retry', () => {
  const shaky = planOf(
    specOf('x', { max_retries: 0 }),
    specOf('y', { max_retries: 0 }),
    'fine',
    specOf('after-x', { depends_on: ['x'] }),
    specOf('after-y', { depends_on: ['y'] }),
  );
  const failedTask = play(running(shaky), ...completes('fine'), ...breaks('x'), ...breaks('y'));

  it('runs again only what failed and what waited for it, with a fresh count', () => {
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
    expect(statuses(again.state)).toMatchObject({
      x: 'queued',
      y: 'failed',
      'after-x': 'pending',
      'after-y': 'blocked',
    });
    const over = play(again, ...completes('x', 2), ...completes('after-x'));
    expect(over.state.status).toBe('failed');
    expect(over.state.errors).toEqual([
      { code: 'tool_failed', message: 'it broke', subtask_id: 'y' },
    ]);
  });

  it('of one subtask is possible while the rest still runs', () => {
    const half = play(running(shaky), ...breaks('x'), started('fine'));
    expect(half.state.status).toBe('running');
    const again = play(half, retry('x'));
    expect(statuses(again.state)).toMatchObject({
      x: 'queued',
      fine: 'running',
      'after-x': 'pending',
    });
  });

  it('does not run what a critical failure skipped while that failure stands', () => {
    const critical = planOf(
      specOf('key', { max_retries: 0, is_critical_path: true }),
      specOf('x', { max_retries: 0 }),
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
      later: 'blocked',
    });
  });

  it('of a cancelled task goes on where it stopped', () => {
    const again = play(midway, stop('abort'), retry());
    expect(again.state).toMatchObject({ status: 'running', cancel_mode: null });
    expect(statuses(again.state)).toEqual({
      done: 'completed',
      busy: 'queued',
      judged: 'queued',
      queued: 'queued',
      later: 'pending',
    });
    expect(again.last.units.map(({ subtask_id, attempt }) => [subtask_id, attempt])).toEqual([
      ['busy', 2],
      ['judged', 2],
      ['queued', 2],
    ]);
  });

  it('of a task without a plan asks a planner again, as a new unit', () => {
    const again = play(freshTask(), created, stop('abort'), retry());
    expect(again.state).toMatchObject({ status: 'queued', cancel_mode: null, plan_attempts: 2 });
    expect(again.last.units).toEqual([
      { queue: 'plans', subtask_id: null, attempt: 2, tier: null },
    ]);
    expect(again.last.events).toEqual([
      { type: 'task.retried', data: { by: 'key_1', status: 'queued' } },
    ]);
  });

  it.each([
    ['a completed task', play(running(planOf('a')), ...completes('a')), null],
    ['a running task without failures', midway, null],
    ['a task that waits for its plan', play(freshTask(), created), null],
    [
      'a task that is being cancelled',
      play(running(shaky), ...breaks('x'), started('fine'), stop('cancel')),
      null,
    ],
    ['a subtask that did not fail', failedTask, 'fine'],
    ['a subtask that does not exist', failedTask, 'ghost'],
    ['a subtask of a task without a plan', play(freshTask(), created, stop('abort')), 'a'],
  ])('changes nothing: %s', (_, { state }, subtask) => {
    expect(play(state, retry(subtask)).last).toEqual({ ...nothing, state });
  });
});
