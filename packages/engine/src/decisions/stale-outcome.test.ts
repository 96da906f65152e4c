import { describe, expect, it } from 'vitest';
import {
  asks,
  completes,
  done,
  failed,
  judged,
  planMade,
  play,
  replan,
  running,
  started,
  stopped,
  verificationStarted,
} from '../test-support/play.ts';
import { planOf, specOf, statuses, subtaskIn, theEvent } from '../test-support/task-fixtures.ts';

const later = specOf('later', { depends_on: ['a'] });
const plan = planOf('a', 'b', later);
const begun = running(plan);
const replanning = play(begun, replan());

describe('an attempt that the plan has left behind', () => {
  const changed = planOf(specOf('a', { description: 'do a otherwise' }), 'b', later);
  const behind = play(replanning, started('a'), planMade(changed));

  it('is told to stop, and woken for it in case it is parked', () => {
    expect(subtaskIn(behind.state, 'a')).toMatchObject({
      status: 'running',
      trail: { superseded: true },
    });
    expect(behind.last.wake.attempts).toEqual([{ subtask_id: 'a', attempt: 1 }]);
  });

  it.each([
    ['done', done('a', 1, ['a.md'], ['x'])],
    ['failed', failed('a')],
    ['cancelled', stopped('a')],
    ['awaiting_approval', asks('a')],
    ['not resumed', started('a')],
  ])('is recorded and not applied: %s', (outcome, input) => {
    const { state, last } = play(behind, input);
    expect(last.events[0]).toMatchObject({
      type: 'subtask.outcome_stale',
      subtask_id: 'a',
      attempt: 1,
      data: { outcome, plan_version: 2 },
    });
    expect(subtaskIn(state, 'a')).toMatchObject({
      status: 'queued',
      attempts: 2,
      attempts_forgiven: 1,
      summary: null,
      trail: { superseded: false },
    });
    expect(state.course.discoveries).toEqual([]);
  });

  it.each([
    ['pass', judged('a')],
    ['fail', judged('a', 1, { outcome: 'fail' })],
    ['not verified', verificationStarted('a')],
  ])('is not judged either: %s', (outcome, input) => {
    const verified = play(replanning, started('a'), done('a'), planMade(changed), input);
    expect(theEvent(verified.last.events, 'subtask.outcome_stale').data.outcome).toBe(outcome);
    expect(statuses(verified.state).a).toBe('queued');
  });

  it('has changed what it changed: its files are listed', () => {
    expect(play(behind, done('a', 1, ['a.md'])).state.files_changed).toEqual(['a.md']);
  });

  it('may still be writing, so nothing that promises a file starts beside it', () => {
    const files = (description: string) =>
      planOf(
        specOf('a', { description, deliverables: ['old.md'] }),
        specOf('b', { depends_on: ['c'] }),
        specOf('c'),
      );
    const moved = planOf(
      specOf('a', { deliverables: ['new.md'] }),
      specOf('b', { deliverables: ['old.md'] }),
      'c',
    );
    const half = play(running(files('do a')), started('a'), replan(), planMade(moved));
    expect(statuses(half.state)).toEqual({ a: 'running', b: 'pending', c: 'queued' });
    expect(statuses(play(half, stopped('a')).state)).toMatchObject({ a: 'queued', b: 'queued' });
  });

  it('has its unit taken back when nobody is at it, and starts anew at once', () => {
    const queued = play(replanning, planMade(changed));
    expect(queued.last.withdraw).toEqual({ subtask_ids: ['a'] });
    expect(queued.last.units).toMatchObject([{ subtask_id: 'a', attempt: 2 }]);
    const asking = play(replanning, started('a'), asks('a'), planMade(changed));
    expect(asking.last.withdraw).toEqual({ subtask_ids: ['a'] });
    expect(asking.last.approvals).toMatchObject([{ op: 'close', status: 'expired' }]);
    expect(subtaskIn(asking.state, 'a')).toMatchObject({ status: 'queued', attempts: 2 });
  });

  it('waits for what the new plan makes it wait for', () => {
    const behindB = planOf(specOf('a', { depends_on: ['b'] }), 'b', later);
    expect(statuses(play(replanning, planMade(behindB)).state).a).toBe('pending');
  });
});

describe('a synthesis that is under way', () => {
  const sum = specOf('sum', { is_synthesis: true });
  const joining = play(running(planOf('a', sum)), ...completes('a'), started('sum'), replan());

  it('is left behind by a plan that adds work', () => {
    const more = play(joining, planMade(planOf('a', sum, 'b')));
    expect(subtaskIn(more.state, 'sum').trail.superseded).toBe(true);
    const stale = play(more, done('sum'));
    expect(statuses(stale.state)).toEqual({ a: 'completed', sum: 'pending', b: 'queued' });
  });

  it('goes on under a plan that does not', () => {
    const same = play(joining, planMade(planOf('a', sum)));
    expect(subtaskIn(same.state, 'sum').trail.superseded).toBe(false);
  });
});
