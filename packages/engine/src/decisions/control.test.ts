import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  answers,
  asks,
  breaks,
  completes,
  done,
  failed,
  type History,
  pause,
  play,
  replan,
  running,
  skip,
  started,
  stop,
  stopped,
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
} from '../test-support/task-fixtures.ts';

const created: TaskInput = { kind: 'created', plan: null };
const plan = planOf('done', 'busy', 'judged', 'queued', specOf('later', { depends_on: ['busy'] }));
const midway = play(
  running(plan),
  ...completes('done'),
  started('busy'),
  started('judged'),
  done('judged'),
);
const critical = planOf(specOf('a', { max_retries: 0, is_critical_path: true }));
const ended: [string, History][] = [
  ['completed', play(running(planOf('a')), ...completes('a'))],
  ['failed', play(running(critical), ...breaks('a'))],
  ['cancelled', play(running(planOf('a')), stop('cancel'))],
];

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

  it('wakes running attempts, as a parked one has nobody who could wrap it up', () => {
    expect(cancelled.last.wake.attempts).toEqual([{ subtask_id: 'busy', attempt: 1 }]);
  });

  it.each([
    ['is done', done('busy', 1, ['kept.md'])],
    ['fails', failed('busy')],
    ['stops', stopped('busy')],
    ['asks for an approval', asks('busy')],
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
    expect(play(cancelled, stop('cancel')).last).toEqual(nothingFor(cancelled.state));
    const aborted = play(cancelled, stop('abort'));
    expect(aborted.state).toMatchObject({ status: 'cancelled', cancel_mode: 'abort' });
    expect(aborted.last.withdraw).toBe('all');
    expect(play(cancelled, stop('abort'), stop('cancel')).last).toEqual(nothingFor(aborted.state));
  });

  it('ends a pause, and says so', () => {
    const { state, last } = play(midway, pause(), stop('cancel'));
    expect(state).toMatchObject({ status: 'running', course: { paused: null } });
    expect(types(last.events)).toContain('task.resumed');
  });

  it('takes questions off the table that nobody needs answered any more', () => {
    const { state, last } = play(midway, asks('busy'), started('queued'), stop('cancel'));
    expect(statuses(state)).toMatchObject({ busy: 'skipped', queued: 'running' });
    expect(state.course.approvals).toEqual([]);
    expect(last.approvals).toMatchObject([{ op: 'close', id: 'apr_1-1', status: 'expired' }]);
  });

  it('is not undone by the answer to such a question', () => {
    const begun = running(plan, { policy: policyOf({ max_plan_versions: 1 }) });
    const asked = play(begun, started('busy'), replan());
    expect(asked.state.course.approvals).toMatchObject([{ kind: 'replan' }]);
    const wrapping = play(asked, stop('cancel'));
    expect(play(wrapping, answers(1, 'approve')).last).toEqual(nothingFor(wrapping.state));
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
    const { state, last } = play(freshTask(), created, stop('abort'));
    expect(state).toMatchObject({ status: 'cancelled', verification: 'unverified' });
    expect(last.withdraw).toBe('all');
  });
});

describe.each(ended)('after the end (%s)', (_, { state }) => {
  it.each([
    ['cancel', stop('cancel')],
    ['abort', stop('abort')],
    ['skip', skip('a')],
  ])('%s changes nothing', (_, input) => {
    expect(play(state, input).last).toEqual(nothingFor(state));
  });
});

describe('skip', () => {
  it.each([
    ['pending', 'later', 'none'],
    ['queued', 'queued', { subtask_ids: ['queued'] }],
    ['running', 'busy', { subtask_ids: ['busy'] }],
    ['verifying', 'judged', { subtask_ids: ['judged'] }],
  ])('ends a %s subtask at once and takes back its units alone', (_, id, withdraw) => {
    const { state, last } = play(midway, skip(id));
    expect(subtaskIn(state, id)).toMatchObject({
      status: 'skipped',
      error: { code: 'skipped_by_person', message: 'key_1 skipped it' },
    });
    expect(last.withdraw).toEqual(withdraw);
    expect(state.status).toBe('running');
  });

  it('takes the question of the subtask with it', () => {
    const { state, last } = play(midway, asks('busy'), skip('busy'));
    expect(state.course.approvals).toEqual([]);
    expect(last.approvals).toMatchObject([{ op: 'close', status: 'expired' }]);
  });

  it('asked twice, of a finished or an unknown subtask, changes nothing', () => {
    const skipped = play(midway, skip('busy'));
    for (const id of ['busy', 'done', 'ghost']) {
      expect(play(skipped, skip(id)).last).toEqual(nothingFor(skipped.state));
    }
  });

  it('changes nothing while the task is being cancelled', () => {
    const cancelled = play(midway, stop('cancel'));
    expect(play(cancelled, skip('busy')).last).toEqual(nothingFor(cancelled.state));
  });

  it('of what others wait for leaves them to another plan', () => {
    const policy = policyOf({ max_stall_recoveries: 0 });
    const two = planOf('a', specOf('b', { depends_on: ['a'] }));
    expect(types(play(running(two), skip('a')).last.events)).toEqual([
      'subtask.skipped',
      'task.stalled',
      'task.replanning',
    ]);
    const over = play(running(two, { policy }), skip('a'));
    expect(statuses(over.state)).toEqual({ a: 'skipped', b: 'blocked' });
    expect(over.state.status).toBe('failed');
  });

  it('is the reason why a task fails in which nothing else went wrong', () => {
    const { state } = play(running(planOf('a', 'b')), skip('b'), ...completes('a'));
    expect(state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'skipped_by_person', message: 'b: key_1 skipped it', subtask_id: 'b' }],
    });
  });
});
