import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  asks,
  breaks,
  completes,
  died,
  done,
  failed,
  judged,
  play,
  running,
  started,
  stop,
  stopped,
  verificationStarted,
  wants,
} from '../test-support/play.ts';
import {
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  types,
  unitOf,
} from '../test-support/task-fixtures.ts';

const plan = planOf('a', specOf('b', { depends_on: ['a'] }));
const begun = running(plan);

describe('an attempt', () => {
  it('runs once taken up, and says so when it is taken over', () => {
    const runs = play(begun, started('a'));
    expect(statuses(runs.state).a).toBe('running');
    expect(types(runs.last.events)).toEqual(['subtask.started']);
    const over = play(runs, started('a'));
    expect(over.state).toEqual(runs.state);
    expect(types(over.last.events)).toEqual(['run.recovered']);
  });

  it('that goes on after it was parked was not recovered from anything', () => {
    const runs = play(begun, started('a'));
    expect(play(runs, started('a', 1, true)).last).toEqual(nothingFor(runs.state));
  });

  it('is verified by someone else when its executor says it is done', () => {
    const { state, last } = play(begun, started('a'), done('a', 1, ['z.md', 'a.md']));
    expect(statuses(state).a).toBe('verifying');
    expect(state.files_changed).toEqual(['a.md', 'z.md']);
    expect(subtaskIn(state, 'a')).toMatchObject({ summary: 'did a', verification: 'unverified' });
    expect(last.units).toEqual([unitOf('verifications', { subtask_id: 'a' })]);
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

  it('leaves its discoveries behind, bounded', () => {
    const found = Array.from({ length: 60 }, (_, n) => `${n} ${'x'.repeat(400)}`);
    const { state } = play(begun, started('a'), done('a', 1, [], found));
    const { discoveries } = state.course;
    expect(discoveries).toHaveLength(50);
    expect(discoveries.at(-1)).toEqual({ subtask_id: 'a', summary: `59 ${'x'.repeat(297)}` });
  });
});

describe('a verdict', () => {
  const verifying = play(begun, started('a'), done('a'));

  it('starts visibly', () => {
    const { last } = play(verifying, verificationStarted('a'));
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
    expect(subtaskIn(state, 'a')).toMatchObject({
      status: 'completed',
      verification: 'unverified',
    });
    const over = play(state, ...completes('b'));
    expect(over.state).toMatchObject({ status: 'completed', verification: 'partly_verified' });
  });

  it('fail gives another attempt with its feedback', () => {
    const { state, last } = play(
      verifying,
      judged('a', 1, { outcome: 'fail', reason_code: 'empty_file', feedback: 'a.md is empty' }),
    );
    expect(subtaskIn(state, 'a')).toMatchObject({
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
    expect(subtaskIn(over.state, 'a')).toMatchObject({
      status: 'completed',
      verification: 'verified',
      feedback: null,
      error: null,
    });
  });

  it('fail on the last attempt fails the subtask and, where the plan is final, the task', () => {
    const policy = policyOf({ max_plan_versions: 1, approval: { timeout_seconds: 1 } });
    const last = running(planOf(specOf('a', { max_retries: 0, is_critical_path: true })), {
      policy,
    });
    const { state } = play(last, started('a'), done('a'), judged('a', 1, { outcome: 'fail' }));
    expect(state).toMatchObject({ status: 'failed', verification: 'failed' });
  });
});

describe('a unit that kept dying', () => {
  it.each([
    ['a queued attempt', begun, 'subtasks'],
    ['a running attempt', play(begun, started('a')), 'subtasks'],
    ['an attempt that waits for a person', play(begun, started('a'), asks('a')), 'subtasks'],
    ['a verification', play(begun, started('a'), done('a')), 'verifications'],
  ] as const)('fails its subtask without another try: %s', (_, before, queue) => {
    const { state, last } = play(before, died(queue, 'a', 1));
    expect(statuses(state).a).toBe('failed');
    expect(state.errors).toMatchObject([{ code: 'dead_letter', subtask_id: 'a' }]);
    expect(state.course.approvals).toEqual([]);
    expect(last.units.filter((unit) => unit.queue === 'subtasks')).toEqual([]);
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
    for (const input of others) {
      expect(play(verifying, input).last).toEqual(nothingFor(verifying.state));
    }
  });
});

describe('what speaks of an attempt that is past', () => {
  const second = play(begun, ...breaks('a'), started('a', 2));
  const all = (subtask: string, attempt: number): TaskInput[] => [
    started(subtask, attempt),
    done(subtask, attempt, ['late.md'], ['late']),
    failed(subtask, attempt),
    stopped(subtask, attempt),
    asks(subtask, attempt),
    verificationStarted(subtask, attempt),
    judged(subtask, attempt),
    judged(subtask, attempt, { outcome: 'fail' }),
    wants('subtasks', subtask, { model_calls: 1 }, attempt),
    died('subtasks', subtask, attempt),
    died('verifications', subtask, attempt),
  ];

  it.each([
    ['an earlier attempt', 'a', 1],
    ['an attempt yet to come', 'a', 3],
    ['a subtask that has not started', 'b', 1],
    ['a subtask that does not exist', 'ghost', 1],
  ])('changes nothing: %s', (_, subtask, attempt) => {
    for (const input of all(subtask, attempt)) {
      expect(play(second, input).last).toEqual(nothingFor(second.state));
    }
  });

  it('changes nothing once the subtask completed, or the task ended', () => {
    const completed = play(second, done('a', 2), judged('a', 2));
    const over = play(completed, ...completes('b'));
    for (const { state } of [completed, over]) {
      for (const input of all('a', 2)) {
        expect(play(state, input).last).toEqual(nothingFor(state));
      }
    }
  });

  it('a verdict before the work is done, and work done before it began, change nothing', () => {
    for (const input of [judged('a', 2), judged('a', 2, { outcome: 'fail' })]) {
      expect(play(second, input).last).toEqual(nothingFor(second.state));
    }
    for (const input of [done('a'), failed('a'), asks('a')]) {
      expect(play(begun, input).last).toEqual(nothingFor(begun.state));
    }
  });
});
