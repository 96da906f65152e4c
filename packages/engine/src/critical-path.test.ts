import { describe, expect, it } from 'vitest';
import {
  after,
  breaks,
  completes,
  done,
  failed,
  judged,
  play,
  running,
  started,
} from './test-support/play.ts';
import {
  type PolicyFields,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  types,
} from './test-support/task-fixtures.ts';

const plan = planOf(
  specOf('key', { max_retries: 0, is_critical_path: true }),
  'active',
  specOf('next', { depends_on: ['active'] }),
);

function begun(policy: PolicyFields) {
  return play(running(plan, { policy: policyOf(policy) }), started('active'));
}

const unconfirmed = {
  outcome: 'fail',
  reason_code: 'unconfirmed_data',
  feedback: 'two prices could not be confirmed',
} as const;
const unsure = [started('key'), done('key'), judged('key', 1, unconfirmed)];

describe('block', () => {
  const broken = play(begun({ critical_path_behavior: 'block' }), ...breaks('key'));

  it('is what happens unless something else is said', () => {
    expect(policyOf().critical_path_behavior).toBe('block');
  });

  it('skips what is pending, lets what is active finish, then fails', () => {
    expect(statuses(broken.state)).toEqual({ key: 'failed', active: 'running', next: 'skipped' });
    expect(subtaskIn(broken.state, 'next').error).toEqual({
      code: 'critical_path_failed',
      message: 'the critical subtask key failed',
    });
    expect(types(broken.events)).not.toContain('task.replanning');
    const over = play(broken, ...completes('active').slice(1));
    expect(over.state.status).toBe('failed');
    expect(over.state.errors).toMatchObject([{ code: 'tool_failed', subtask_id: 'key' }]);
  });
});

describe('confirm_or_prune_then_queue', () => {
  const policy = { critical_path_behavior: 'confirm_or_prune_then_queue' } as const;

  it('tries twice more with the largest model, to confirm or to prune', () => {
    const first = play(begun(policy), ...unsure);
    expect(subtaskIn(first.state, 'key')).toMatchObject({
      status: 'queued',
      attempts: 2,
      trail: { confirmations: 1, strategy: 'unconfirmed_data' },
    });
    expect(first.last.units).toMatchObject([{ subtask_id: 'key', tier: 3 }]);
    expect(first.last.events[1]).toMatchObject({
      type: 'subtask.retrying',
      data: { strategy: 'confirm_or_prune', next_attempt: 2 },
    });
    const second = play(first, started('key', 2), failed('key', 2, 'still not'));
    expect(subtaskIn(second.state, 'key')).toMatchObject({
      status: 'queued',
      trail: { confirmations: 2 },
    });
    expect(statuses(second.state).next).toBe('pending');
  });

  it('waits two seconds before such an attempt when the failure is a passing one', () => {
    const passing = [started('key'), failed('key', 1, 'away', 'model_unavailable')];
    const waits = play(begun(policy), ...passing);
    expect(subtaskIn(waits.state, 'key')).toMatchObject({
      status: 'pending',
      trail: { not_before: waits.now + 2_000 },
    });
    expect(statuses(play(waits, ...after(1)).state).key).toBe('pending');
    expect(statuses(play(waits, ...after(2)).state).key).toBe('queued');
  });

  it('queues a blocking remediation when that did not help', () => {
    const gone = play(begun(policy), ...unsure, ...breaks('key', 2), ...breaks('key', 3));
    expect(gone.state.course.remediations).toMatchObject([
      { subtask_id: 'key', blocking: true, status: 'queued', attempts: 0 },
    ]);
    expect(statuses(gone.state)).toEqual({ key: 'pending', active: 'running', next: 'pending' });
  });

  it('is over as soon as one of them passes', () => {
    const confirmed = play(begun(policy), ...unsure, ...completes('key', 2));
    expect(statuses(confirmed.state).key).toBe('completed');
    expect(confirmed.state.course.remediations).toEqual([]);
  });

  it('queues at once when it may not try', () => {
    const none = { ...policy, confirm_or_prune: { max_attempts: 0, backoff_seconds: 2 } };
    expect(play(begun(none), ...unsure).state.course.remediations).toHaveLength(1);
  });
});

describe('queue_follow_up', () => {
  const policy = { critical_path_behavior: 'queue_follow_up' } as const;

  it('lets work stand whose confirmation alone is missing, and looks at it again later', () => {
    const stands = play(begun(policy), ...unsure);
    expect(subtaskIn(stands.state, 'key')).toMatchObject({
      status: 'completed',
      verification: 'partly_verified',
    });
    expect(stands.state.course.remediations).toMatchObject([
      { subtask_id: 'key', strategy: 'unconfirmed_data', blocking: false, status: 'queued' },
    ]);
  });

  it.each([
    ['a broken invariant', judged('key', 1, { ...unconfirmed, severity_class: 'hard_invariant' })],
    ['another failure', judged('key', 1, { outcome: 'fail', reason_code: 'check_failed' })],
  ])('queues a blocking remediation for %s', (_, verdict) => {
    const gone = play(begun(policy), started('key'), done('key'), verdict);
    expect(statuses(gone.state)).toMatchObject({ key: 'pending', next: 'pending' });
    expect(gone.state.course.remediations).toMatchObject([{ blocking: true, status: 'queued' }]);
  });

  it('follows up a pass that says that something is unconfirmed', () => {
    const warned = { outcome: 'pass_with_warnings', reason_code: 'unconfirmed_data' } as const;
    const stands = play(begun(policy), started('key'), done('key'), judged('key', 1, warned));
    expect(statuses(stands.state).key).toBe('completed');
    expect(stands.state.course.remediations).toMatchObject([{ blocking: false }]);
    const ordinary = play(begun(policy), done('active'), judged('active', 1, warned));
    expect(ordinary.state.course.remediations).toEqual([]);
  });
});
