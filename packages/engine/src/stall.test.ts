import { describe, expect, it } from 'vitest';
import {
  answers,
  completes,
  died,
  planMade,
  planUnavailable,
  play,
  running,
  skip,
  started,
} from './test-support/play.ts';
import {
  type PolicyFields,
  planOf,
  policyOf,
  specOf,
  statuses,
  theEvent,
  types,
} from './test-support/task-fixtures.ts';

const plan = planOf('a', specOf('b', { depends_on: ['a'] }), specOf('c', { depends_on: ['b'] }));

/** A task that cannot go on: what all the rest waits for was skipped. */
function stalled(policy: PolicyFields = {}, limits = {}) {
  return play(running(plan, { policy: policyOf(policy), limits }), skip('a'));
}

const blocked = [
  { subtask_id: 'b', reason: 'waits for a, which will not complete' },
  { subtask_id: 'c', reason: 'waits for b, which will not complete' },
];

describe('a task of which nothing can run any more', () => {
  it('says what is blocked and why, and asks for another plan', () => {
    const { state, last } = stalled();
    expect(theEvent(last.events, 'task.stalled').data).toEqual({ blocked, recoveries: 0 });
    expect(theEvent(last.events, 'task.replanning').data).toMatchObject({
      reason: 'stalled',
      detail: blocked.map(({ subtask_id, reason }) => `${subtask_id} ${reason}`).join('; '),
    });
    expect(statuses(state)).toEqual({ a: 'skipped', b: 'pending', c: 'pending' });
    expect(state).toMatchObject({ status: 'running', course: { stall_recoveries: 1 } });
  });

  it('goes on with a plan that leads around it', () => {
    const around = planOf('a', 'b', specOf('c', { depends_on: ['b'] }));
    const onward = play(stalled(), planMade(around));
    expect(statuses(onward.state)).toEqual({ a: 'skipped', b: 'queued', c: 'pending' });
    // What a person skipped stays skipped, so the task is not a full success.
    const over = play(onward, ...completes('b'), ...completes('c'));
    expect(over.state.status).toBe('failed');
  });

  it('recovers twice at most, then fails with the reasons', () => {
    const twice = play(stalled(), planMade(plan));
    expect(theEvent(twice.last.events, 'task.stalled').data).toMatchObject({ recoveries: 1 });
    expect(twice.state.course.replan?.reason).toBe('stalled');
    const over = play(twice, planMade(plan, 2));
    expect(types(over.last.events)).toEqual([
      'task.plan_ready',
      'task.stalled',
      'subtask.blocked',
      'subtask.blocked',
      'task.failed',
    ]);
    expect(theEvent(over.last.events, 'task.stalled').data).toEqual({ blocked, recoveries: 2 });
    expect(over.state.subtasks.map(({ error }) => error?.message)).toEqual([
      'key_1 skipped it',
      ...blocked.map(({ reason }) => reason),
    ]);
  });

  it('recovers as often as its policy says', () => {
    expect(stalled({ max_stall_recoveries: 0 }).state.status).toBe('failed');
  });

  it('fails when no other plan can be had', () => {
    expect(play(stalled(), planUnavailable()).state.status).toBe('failed');
    expect(play(stalled(), planMade(planOf('z'))).state.status).toBe('failed');
  });

  it('fails when it may not be planned again', () => {
    const spent = stalled({}, { max_replans: 1 });
    const over = play(spent, planMade(plan));
    expect(types(over.last.events)).toContain('task.budget_exhausted');
    expect(over.state.status).toBe('failed');
  });

  it('asks a person when it was planned as often as it may be', () => {
    const asked = stalled({ max_plan_versions: 1 });
    expect(asked.state).toMatchObject({ status: 'awaiting_confirmation' });
    expect(asked.last.approvals).toMatchObject([{ kind: 'replan' }]);
    expect(play(asked, answers(1, 'deny')).state.status).toBe('failed');
    const allowed = play(asked, answers(1, 'approve'));
    expect(allowed.last.units).toMatchObject([{ queue: 'plans' }]);
  });

  it('is not said to be stalled while something else is at work', () => {
    const two = planOf('free', 'a', specOf('b', { depends_on: ['a'] }));
    const half = play(running(two), started('free'), died('subtasks', 'a', 1));
    expect(types(half.events)).not.toContain('task.stalled');
    expect(statuses(half.state)).toEqual({ free: 'running', a: 'failed', b: 'pending' });
    const rest = play(half, ...completes('free').slice(1));
    expect(types(rest.last.events)).toContain('task.stalled');
  });
});
