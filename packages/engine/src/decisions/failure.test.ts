import { describe, expect, it } from 'vitest';
import {
  after,
  breaks,
  failed,
  planMade,
  play,
  running,
  started,
  timePassed,
} from '../test-support/play.ts';
import { storedAndLoaded } from '../test-support/stored-state.ts';
import {
  planOf,
  specOf,
  statuses,
  subtaskIn,
  theEvent,
  types,
} from '../test-support/task-fixtures.ts';

const begun = running(planOf('a', specOf('b', { depends_on: ['a'] })));

describe('a failed attempt', () => {
  it('is tried again with the feedback, on the same tier, one higher, then the highest', () => {
    const once = play(begun, ...breaks('a', 1, 'it broke'));
    expect(subtaskIn(once.state, 'a')).toMatchObject({
      status: 'queued',
      attempts: 2,
      feedback: 'it broke',
      trail: { strategy: 'generic' },
    });
    expect(once.last.events[0]).toMatchObject({
      type: 'subtask.retrying',
      attempt: 1,
      data: { code: 'tool_failed', strategy: 'generic', feedback: 'it broke', next_attempt: 2 },
    });
    const four = play(once, ...breaks('a', 2), ...breaks('a', 3));
    const tiers = four.units.filter(({ queue }) => queue === 'subtasks').map(({ tier }) => tier);
    expect(tiers).toEqual([1, 1, 2, 3]);
    const over = play(four, ...breaks('a', 4));
    expect(subtaskIn(over.state, 'a')).toMatchObject({ status: 'failed', attempts: 4 });
  });

  it('climbs the same ladder when every state was written and read in between', () => {
    let history = begun;
    for (const attempt of [1, 2, 3, 4]) {
      for (const input of breaks('a', attempt)) {
        history = play({ ...history, state: storedAndLoaded(history.state) }, input);
      }
    }
    const units = history.units.filter(({ queue }) => queue === 'subtasks');
    expect(units.map(({ tier }) => tier)).toEqual([1, 1, 2, 3]);
    expect(statuses(history.state).a).toBe('failed');
  });

  it('that fails the same way twice is not tried a third time, whatever the numbers in it', () => {
    const twice = play(
      begun,
      ...breaks('a', 1, '3 of 40 tests failed'),
      ...breaks('a', 2, '5 of 41 tests failed'),
    );
    expect(subtaskIn(twice.state, 'a')).toMatchObject({ status: 'failed', attempts: 2 });
  });

  it('that fails the same way twice is noticed across a restart', () => {
    const once = play(begun, ...breaks('a', 1, 'the same'));
    const twice = play(
      { ...once, state: storedAndLoaded(once.state) },
      ...breaks('a', 2, 'the same'),
    );
    expect(statuses(twice.state).a).toBe('failed');
  });

  it('that fails in two ways in turn has not been understood either', () => {
    const third = play(
      begun,
      ...breaks('a', 1, 'one way'),
      ...breaks('a', 2, 'another way'),
      ...breaks('a', 3, 'one way'),
    );
    expect(subtaskIn(third.state, 'a')).toMatchObject({ status: 'failed', attempts: 3 });
  });

  it('waits a little before the next when waiting alone may help', () => {
    const limited = play(begun, started('a'), failed('a', 1, 'slow down', 'model_rate_limited'));
    expect(subtaskIn(limited.state, 'a')).toMatchObject({
      status: 'pending',
      trail: { strategy: 'rate_limit', not_before: limited.now + 2_000 },
    });
    expect(limited.state).toMatchObject({ status: 'running', wake_at: limited.now + 2_000 });
    expect(statuses(play(limited, timePassed).state).a).toBe('pending');
    const later = play(limited, ...after(2));
    expect(statuses(later.state).a).toBe('queued');
    expect(later.state.wake_at).toBeNull();
  });

  it('for want of budget ends its subtask without another try', () => {
    const over = play(begun, started('a'), failed('a', 1, 'no more calls', 'budget_exhausted'));
    expect(subtaskIn(over.state, 'a')).toMatchObject({
      status: 'skipped',
      error: { code: 'budget_exhausted' },
    });
  });

  it('that was the last asks for another plan, and names the failure in it', () => {
    const over = play(
      running(planOf(specOf('a', { max_retries: 0 }))),
      ...breaks('a', 1, 'no way'),
    );
    expect(types(over.last.events)).toEqual(['subtask.failed', 'task.replanning']);
    expect(theEvent(over.events, 'task.replanning').data).toEqual({
      reason: 'subtask_failed',
      detail: 'a failed: no way',
      plan_version: 1,
    });
    expect(over.state.status).toBe('running');
  });

  it('that a new plan asked for unchanged, and that fails the same way again, is given up', () => {
    const plan = planOf(specOf('a', { max_retries: 0 }));
    const replanned = play(running(plan), ...breaks('a', 1, 'no way'), planMade(plan));
    expect(replanned.state).toMatchObject({ status: 'running', plan_version: 2 });
    const { state, last } = play(replanned, ...breaks('a', 2, 'no way'));
    expect(state).toMatchObject({ status: 'failed', plan_version: 2 });
    expect(types(last.events)).not.toContain('task.replanning');
    const other = play(replanned, started('a', 2), failed('a', 2, 'quite another trouble'));
    expect(types(other.last.events)).toContain('task.replanning');
  });
});
