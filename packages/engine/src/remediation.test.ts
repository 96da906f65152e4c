import { describe, expect, it } from 'vitest';
import { remediationBackoff } from './remediation.ts';
import {
  after,
  breaks,
  completes,
  failed,
  type History,
  play,
  retry,
  running,
  skip,
  started,
  stop,
  timePassed,
} from './test-support/play.ts';
import { storedAndLoaded } from './test-support/stored-state.ts';
import {
  nothingFor,
  type PolicyFields,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  theEvent,
  types,
} from './test-support/task-fixtures.ts';

const key = specOf('key', { max_retries: 0, is_critical_path: true });
const policy: PolicyFields = { critical_path_behavior: 'queue_follow_up' };

/** A task whose critical subtask was given up and waits to be set right. */
function givenUp(fields: PolicyFields = {}, limits = {}): History {
  const begun = running(planOf(key), { policy: policyOf({ ...policy, ...fields }), limits });
  return play(begun, ...breaks('key'));
}

/** The n-th attempt at setting it right, which fails as well. */
function failsAgain(history: History, number: number): History {
  const due = remediationBackoff(history.state.policy.remediation, number);
  return play(history, ...after(due), ...breaks('key', number + 1));
}

it('waits 2, 4, 8, 16 and then at most 30 seconds', () => {
  const { remediation } = policyOf();
  const waits = [1, 2, 3, 4, 5, 6].map((number) => remediationBackoff(remediation, number));
  expect(waits).toEqual([2, 4, 8, 16, 30, 30]);
});

describe('a blocking remediation', () => {
  const queued = givenUp();

  it('delays the end of the task instead of failing it untried', () => {
    expect(queued.state.status).toBe('running');
    expect(subtaskIn(queued.state, 'key')).toMatchObject({
      status: 'pending',
      trail: { not_before: queued.now + 2_000 },
    });
    expect(queued.state.course.remediations).toEqual([
      {
        id: 'key-1',
        subtask_id: 'key',
        strategy: 'generic',
        reason_code: 'tool_failed',
        blocking: true,
        status: 'queued',
        attempts: 0,
        due_at: queued.now + 2_000,
        expires_at: queued.now + 21_600_000,
        terminal_reason: null,
      },
    ]);
    expect(theEvent(queued.events, 'remediation.queued')).toMatchObject({
      subtask_id: 'key',
      data: { remediation_id: 'key-1', blocking: true, strategy: 'generic', attempts: 0 },
    });
  });

  it('is work for a runner when it is due, with the largest model', () => {
    expect(queued.state.wake_at).toBe(queued.now + 2_000);
    expect(play(queued, ...after(1)).last).toEqual(nothingFor(queued.state));
    const due = play(queued, ...after(2));
    expect(due.last.units).toMatchObject([{ queue: 'subtasks', subtask_id: 'key', tier: 3 }]);
    expect(due.state.course).toMatchObject({
      remediations: [{ status: 'running', attempts: 1 }],
      remediation_attempts: 1,
    });
    expect(types(due.last.events)).toEqual(['subtask.queued', 'remediation.attempted']);
  });

  it('is due after a restart as well', () => {
    const restarted = { ...queued, state: storedAndLoaded(queued.state) };
    expect(play(restarted, ...after(2)).last).toEqual(play(queued, ...after(2)).last);
  });

  it('is started by whatever happens after it was due, if the sweeper is late', () => {
    const two = running(planOf(key, 'other'), { policy: policyOf(policy) });
    const waiting = play(two, ...breaks('key'), started('other'));
    const late = play({ ...waiting, now: waiting.now + 2_000 }, started('other'));
    expect(late.last.units).toMatchObject([{ subtask_id: 'key', attempt: 2 }]);
  });

  it('is resolved when its attempt passes, and the task completes', () => {
    const over = play(queued, ...after(2), ...completes('key', 2));
    expect(over.state.status).toBe('completed');
    expect(theEvent(over.events, 'remediation.resolved').data).toMatchObject({
      remediation_id: 'key-1',
    });
    expect(over.state.summary).not.toContain('Follow-ups');
  });

  it('is tried three times, each later than the one before; then the task fails with it', () => {
    const twice = failsAgain(failsAgain(queued, 1), 2);
    expect(twice.state.course.remediations).toMatchObject([
      { status: 'queued', attempts: 2, due_at: twice.now + 8_000 },
    ]);
    expect(types(twice.events).filter((type) => type === 'remediation.queued')).toHaveLength(3);
    const over = failsAgain(twice, 3);
    expect(over.state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'tool_failed', subtask_id: 'key' }],
    });
    expect(theEvent(over.events, 'remediation.failed').data).toMatchObject({
      remediation_id: 'key-1',
      reason: 'broke like e',
    });
    expect(over.state.summary).toContain('key: tool_failed (blocking, broke like e)');
  });

  it('that fails the same way each time is still tried as often as it may be', () => {
    const same = (history: History, attempt: number) =>
      play(history, ...after(30), ...breaks('key', attempt, 'the same'));
    const over = same(same(same(queued, 2), 3), 4);
    expect(subtaskIn(over.state, 'key')).toMatchObject({ status: 'failed', attempts: 4 });
  });

  it('is given up when its time is over, and the task fails with it', () => {
    const short = givenUp({ remediation: { ttl_seconds: 3, backoff_seconds: 10 } });
    expect(short.state.wake_at).toBe(short.now + 3_000);
    const over = play(short, ...after(3));
    expect(over.state).toMatchObject({
      status: 'failed',
      errors: [
        {
          code: 'tool_failed',
          message: 'its remediation (tool_failed) was not resolved in time',
        },
      ],
    });
    expect(types(over.last.events)).toContain('remediation.expired');
  });

  it('counts against max_remediation_attempts of the task', () => {
    const limited = givenUp({}, { max_remediation_attempts: 1 });
    const over = failsAgain(limited, 1);
    expect(over.state.status).toBe('failed');
    expect(over.state.course.remediation_attempts).toBe(1);
  });

  it('of which none is left is not begun, and takes with it what a critical failure takes', () => {
    const two = planOf(
      specOf('one', { max_retries: 0, is_critical_path: true }),
      specOf('two', { max_retries: 0, is_critical_path: true }),
    );
    const limits = { max_remediation_attempts: 1 };
    const begun = running(two, { policy: policyOf(policy), limits });
    const both = play(begun, ...breaks('one'), ...breaks('two'));
    expect(both.state.course.remediations).toHaveLength(2);
    const due = play(both, ...after(2));
    expect(due.last.units.map(({ subtask_id }) => subtask_id)).toEqual(['one']);
    expect(statuses(due.state)).toEqual({ one: 'queued', two: 'failed' });
    const over = play(due, ...completes('one', 2));
    expect(over.state.status).toBe('failed');
  });

  it('that runs out together with another one ends once', () => {
    const two = planOf(key, specOf('other', { max_retries: 0, is_critical_path: true }));
    const short = policyOf({ ...policy, remediation: { ttl_seconds: 3, backoff_seconds: 10 } });
    const both = play(running(two, { policy: short }), ...breaks('key'), ...breaks('other'));
    const over = play(both, ...after(3));
    expect(statuses(over.state)).toEqual({ key: 'failed', other: 'skipped' });
    const ends = over.last.events.filter(({ type }) => /remediation/.test(type));
    expect(ends.map(({ type, subtask_id }) => [type, subtask_id])).toEqual([
      ['remediation.expired', 'key'],
      ['remediation.failed', 'other'],
    ]);
  });

  it('ends with its subtask, or with the task', () => {
    expect(play(queued, skip('key')).state.course.remediations).toMatchObject([
      { status: 'failed', terminal_reason: 'the subtask was skipped' },
    ]);
    expect(play(queued, stop('abort')).state.course.remediations).toMatchObject([
      { status: 'failed' },
    ]);
  });

  it('is forgotten when a person takes the ended task up again', () => {
    const again = play(queued, stop('abort'), retry());
    expect(again.state.course.remediations).toEqual([]);
    expect(again.last.units).toMatchObject([{ subtask_id: 'key', tier: 1 }]);
  });
});

it('time that passes twice at once changes nothing the second time', () => {
  const due = play(givenUp(), ...after(2));
  expect(play(due, timePassed).last).toEqual(nothingFor(due.state));
});

it('an attempt at setting right that is rate limited waits for its turn like the others', () => {
  const queued = givenUp();
  const limited = play(
    queued,
    ...after(2),
    started('key', 2),
    failed('key', 2, 'slow down', 'model_rate_limited'),
  );
  expect(limited.state.course.remediations).toMatchObject([
    { id: 'key-1', status: 'queued', attempts: 1, due_at: limited.now + 4_000 },
  ]);
});
