import { describe, expect, it } from 'vitest';
import {
  after,
  completes,
  died,
  done,
  type History,
  judged,
  pause,
  planMade,
  play,
  replan,
  resume,
  running,
  started,
  stop,
} from './test-support/play.ts';
import {
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  theEvent,
  types,
  unitOf,
} from './test-support/task-fixtures.ts';

const policy = policyOf({ critical_path_behavior: 'queue_follow_up' });
const key = specOf('key', { max_retries: 0, is_critical_path: true, deliverables: ['key.md'] });
const unconfirmed = {
  outcome: 'fail',
  reason_code: 'unconfirmed_data',
  feedback: 'unsure',
} as const;

/** A task whose critical subtask stands unconfirmed, to be looked at again in two seconds. */
function standing(max_parallel = 5): History {
  const begun = running(planOf(key, 'slow', specOf('last', { depends_on: ['slow'] })), {
    policy,
    max_parallel,
  });
  return play(begun, started('key'), done('key'), judged('key', 1, unconfirmed), started('slow'));
}

const lookedAt = play(standing(), ...after(2));

describe('a follow-up', () => {
  it('verifies the result once more when it is due, without executing anything', () => {
    expect(statuses(standing().state)).toMatchObject({ key: 'completed', slow: 'running' });
    expect(standing().state.wake_at).toBe(standing().now + 2_000);
    expect(lookedAt.last.units).toEqual([unitOf('verifications', { subtask_id: 'key', round: 2 })]);
    expect(theEvent(lookedAt.last.events, 'remediation.attempted').data).toMatchObject({
      number: 1,
      reverify: true,
    });
    expect(statuses(lookedAt.state).key).toBe('verifying');
  });

  it('that confirms the result makes it verified, and is resolved', () => {
    const { state, last } = play(lookedAt, judged('key'));
    expect(subtaskIn(state, 'key')).toMatchObject({
      status: 'completed',
      verification: 'verified',
    });
    expect(types(last.events)).toEqual(['remediation.resolved']);
    expect(state.course.remediations).toMatchObject([{ status: 'resolved' }]);
  });

  it('that does not leaves the result as it was, and is told in the summary', () => {
    const { state, last } = play(lookedAt, judged('key', 1, unconfirmed));
    expect(subtaskIn(state, 'key')).toMatchObject({
      status: 'completed',
      verification: 'partly_verified',
    });
    expect(types(last.events)).toEqual(['remediation.failed']);
    const over = play(state, done('slow'), judged('slow'), ...completes('last'));
    expect(over.state).toMatchObject({ status: 'completed', verification: 'partly_verified' });
    expect(over.state.summary).toContain('Follow-ups:\n  - key: unconfirmed_data (open, unsure)');
  });

  it('does not keep the task from its end', () => {
    const over = play(standing(), done('slow'), judged('slow'), ...completes('last'));
    expect(over.state.status).toBe('completed');
    expect(over.state.summary).toContain('key: unconfirmed_data (open, the task ended)');
  });

  it('whose verifiers keep dying ends, and the result stands', () => {
    const { state } = play(lookedAt, died('verifications', 'key', 1));
    expect(statuses(state).key).toBe('completed');
    expect(state.errors).toEqual([]);
  });

  it('ends with a stop, and the result stands', () => {
    const { state } = play(lookedAt, stop('abort'));
    expect(statuses(state)).toEqual({ key: 'completed', slow: 'skipped', last: 'skipped' });
  });

  it('is not undone by a new plan: what is finished stays finished', () => {
    const changed = { ...key, description: 'do it all over' };
    const next = planOf(changed, 'slow', specOf('last', { depends_on: ['slow'] }));
    const { state } = play(lookedAt, replan(), planMade(next));
    expect(subtaskIn(state, 'key')).toMatchObject({
      status: 'verifying',
      spec: { description: 'do key' },
      trail: { superseded: false },
    });
    expect(statuses(play(state, judged('key')).state).key).toBe('completed');
  });

  it('takes a place like any other, and comes when one is free', () => {
    const full = play(standing(1), ...after(2));
    expect(statuses(full.state)).toMatchObject({ key: 'completed', slow: 'running' });
    expect(full.last.units).toEqual([]);
    const room = play(standing(2), ...after(2));
    expect(statuses(room.state).key).toBe('verifying');
  });

  it('does not read what somebody is writing', () => {
    const writer = specOf('writer', { deliverables: ['./key.md'] });
    const begun = running(planOf(key, writer), { policy });
    const standing = play(begun, started('key'), done('key'), judged('key', 1, unconfirmed));
    expect(statuses(standing.state)).toEqual({ key: 'completed', writer: 'queued' });
    expect(statuses(play(standing, ...after(2)).state).key).toBe('completed');
  });

  it('that fell due during a pause begins when it ends', () => {
    const paused = play(standing(), pause(), ...after(5));
    expect(paused.last.units).toEqual([]);
    expect(play(paused, resume()).last.units).toMatchObject([{ queue: 'verifications' }]);
  });
});
