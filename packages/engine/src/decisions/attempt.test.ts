import type { QueueName } from '@loom/shared/queues';
import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  breaks,
  completes,
  done,
  failed,
  judged,
  planOf,
  play,
  running,
  specOf,
  started,
  statuses,
  stop,
  types,
} from '../test-support/task-fixtures.ts';

const plan = planOf('a', specOf('b', { depends_on: ['a'] }));
const begun = running(plan);
const died = (queue: QueueName, subtask_id: string | null, attempt: number | null): TaskInput => ({
  kind: 'unit_died',
  queue,
  subtask_id,
  attempt,
  reason: '3 starts without progress',
});

describe('an attempt', () => {
  it('runs once taken up, and says so when it is taken over', () => {
    const runs = play(begun, started('a'));
    expect(statuses(runs.state).a).toBe('running');
    expect(types(runs.last.events)).toEqual(['subtask.started']);
    const over = play(runs, started('a'));
    expect(over.state).toEqual(runs.state);
    expect(types(over.last.events)).toEqual(['run.recovered']);
  });

  it('is verified by someone else when its executor says it is done', () => {
    const { state, last } = play(begun, started('a'), done('a', 1, ['z.md', 'a.md']));
    expect(statuses(state).a).toBe('verifying');
    expect(state.files_changed).toEqual(['a.md', 'z.md']);
    expect(state.subtasks[0]).toMatchObject({ summary: 'did a', verification: 'unverified' });
    expect(last.units).toEqual([
      { queue: 'verifications', subtask_id: 'a', attempt: 1, tier: null },
    ]);
  });

  it('lists a file that two subtasks changed once', () => {
    const { state } = play(
      running(planOf('a', 'b')),
      started('a'),
      started('b'),
      done('a', 1, ['same.md']),
      done('b', 1, ['same.md', 'b.md']),
    );
    expect(state.files_changed).toEqual(['b.md', 'same.md']);
  });

  it('that failed is tried again with the feedback, one tier higher from the third time on', () => {
    const once = play(begun, ...breaks('a'));
    expect(once.state.subtasks[0]).toMatchObject({
      status: 'queued',
      attempts: 2,
      feedback: 'it broke',
    });
    expect(once.last.events[0]).toMatchObject({
      type: 'subtask.retrying',
      attempt: 1,
      data: { code: 'tool_failed', feedback: 'it broke', next_attempt: 2 },
    });
    const four = play(once, ...breaks('a', 2), ...breaks('a', 3));
    const tiers = four.units.filter(({ queue }) => queue === 'subtasks').map(({ tier }) => tier);
    expect(tiers).toEqual([1, 1, 2, 3]);
    const over = play(four, ...breaks('a', 4));
    expect(over.state.status).toBe('failed');
    expect(statuses(over.state)).toEqual({ a: 'failed', b: 'blocked' });
    expect(over.state.subtasks[0]?.attempts).toBe(4);
  });
});

describe('a verdict', () => {
  const verifying = play(begun, started('a'), done('a'));

  it('starts visibly', () => {
    const { last } = play(verifying, { kind: 'verification_started', subtask_id: 'a', attempt: 1 });
    expect(types(last.events)).toEqual(['verification.started']);
    expect(last.state).toEqual(verifying.state);
  });

  it.each(['pass', 'pass_with_warnings', 'partial_verified'] as const)(
    '%s completes the subtask and starts what waited for it',
    (outcome) => {
      const { state, last } = play(verifying, judged('a', 1, { outcome }));
      expect(statuses(state)).toEqual({ a: 'completed', b: 'queued' });
      expect(types(last.events)).toEqual([
        'verification.passed',
        'subtask.completed',
        'subtask.queued',
      ]);
    },
  );

  it('that could not be reached leaves completed work unverified', () => {
    const { state } = play(verifying, judged('a', 1, { conclusive: false }));
    expect(state.subtasks[0]).toMatchObject({ status: 'completed', verification: 'unverified' });
    const over = play(state, ...completes('b'));
    expect(over.state).toMatchObject({ status: 'completed', verification: 'partly_verified' });
  });

  it('fail gives another attempt with its feedback', () => {
    const { state, last } = play(
      verifying,
      judged('a', 1, { outcome: 'fail', reason_code: 'empty_file', feedback: 'a.md is empty' }),
    );
    expect(state.subtasks[0]).toMatchObject({
      status: 'queued',
      attempts: 2,
      verification: 'failed',
      feedback: 'a.md is empty',
      error: { code: 'empty_file', message: 'a.md is empty' },
    });
    expect(types(last.events)).toEqual([
      'verification.failed',
      'subtask.retrying',
      'subtask.queued',
    ]);
    const over = play(state, ...completes('a', 2));
    expect(over.state.subtasks[0]).toMatchObject({
      status: 'completed',
      verification: 'verified',
      feedback: null,
      error: null,
    });
  });

  it('fail on the last attempt fails the subtask and the task', () => {
    const last = running(planOf(specOf('a', { max_retries: 0 })));
    const { state } = play(last, started('a'), done('a'), judged('a', 1, { outcome: 'fail' }));
    expect(state).toMatchObject({ status: 'failed', verification: 'failed' });
  });
});

describe('a unit that kept dying', () => {
  it.each([
    ['a queued attempt', begun, 'subtasks'],
    ['a running attempt', play(begun, started('a')), 'subtasks'],
    ['a verification', play(begun, started('a'), done('a')), 'verifications'],
  ] as const)('fails its subtask without another try: %s', (_, before, queue) => {
    const { state, last } = play(before, died(queue, 'a', 1));
    expect(statuses(state)).toEqual({ a: 'failed', b: 'blocked' });
    expect(state).toMatchObject({ status: 'failed', errors: [{ code: 'dead_letter' }] });
    expect(last.units).toEqual([]);
  });

  it('only skips its subtask while the task is being cancelled', () => {
    const { state } = play(begun, started('a'), stop('cancel'), died('subtasks', 'a', 1));
    expect(state).toMatchObject({ status: 'cancelled', errors: [] });
  });

  it('of another kind, another attempt or another queue changes nothing', () => {
    const verifying = play(begun, started('a'), done('a'));
    const others = [
      died('subtasks', 'a', 1),
      died('verifications', 'a', 2),
      died('verifications', null, null),
      died('deliveries', null, null),
      died('turns', null, null),
    ];
    for (const input of others) expect(play(verifying, input).state).toEqual(verifying.state);
  });
});

describe('what speaks of an attempt that is past', () => {
  const second = play(begun, ...breaks('a'), started('a', 2));
  const all = (subtask: string, attempt: number): TaskInput[] => [
    started(subtask, attempt),
    done(subtask, attempt, ['late.md']),
    failed(subtask, attempt),
    { kind: 'attempt_cancelled', subtask_id: subtask, attempt },
    { kind: 'verification_started', subtask_id: subtask, attempt },
    judged(subtask, attempt),
    judged(subtask, attempt, { outcome: 'fail' }),
    died('subtasks', subtask, attempt),
    died('verifications', subtask, attempt),
  ];
  const nothing = { events: [], units: [], withdraw: 'none', plan: null };

  it.each([
    ['an earlier attempt', 'a', 1],
    ['an attempt yet to come', 'a', 3],
    ['a subtask that has not started', 'b', 1],
    ['a subtask that does not exist', 'ghost', 1],
  ])('changes nothing: %s', (_, subtask, attempt) => {
    for (const input of all(subtask, attempt)) {
      expect(play(second, input).last).toEqual({ ...nothing, state: second.state });
    }
  });

  it('changes nothing once the subtask completed, or the task ended', () => {
    const completed = play(second, done('a', 2), judged('a', 2));
    const over = play(completed, ...completes('b'));
    for (const { state } of [completed, over]) {
      for (const input of all('a', 2)) {
        expect(play(state, input).last).toEqual({ ...nothing, state });
      }
    }
  });

  it('a verdict before the work is done, and work done before it began, change nothing', () => {
    for (const input of [judged('a', 2), judged('a', 2, { outcome: 'fail' })]) {
      expect(play(second, input).last.state).toEqual(second.state);
    }
    for (const input of [done('a'), failed('a')]) {
      expect(play(begun, input).last.state).toEqual(begun.state);
    }
  });
});
