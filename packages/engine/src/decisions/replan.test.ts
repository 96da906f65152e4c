import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  after,
  answers,
  breaks,
  completes,
  died,
  done,
  judged,
  pause,
  planMade,
  planning,
  planningStarted,
  planUnavailable,
  play,
  replan,
  running,
  skip,
  started,
  steer,
  stop,
} from '../test-support/play.ts';
import {
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  theEvent,
  types,
  unitOf,
} from '../test-support/task-fixtures.ts';

const once = { max_retries: 0 };
const later = specOf('later', { depends_on: ['a'] });
const plan = planOf('a', 'b', later);
const begun = running(plan);
const replanning = play(begun, replan());

describe('another plan is asked for', () => {
  it.each([
    ['when a person wants it', replanning, 'requested', 'look again'],
    [
      'when a person steers what has not begun',
      play(begun, steer('be brief')),
      'steered',
      'be brief',
    ],
    [
      'when a subtask that is not critical has used up its attempts',
      play(running(planOf(specOf('a', once), 'b')), ...breaks('a', 1, 'no way')),
      'subtask_failed',
      'a failed: no way',
    ],
    [
      'when something was discovered and there is work that has not begun',
      play(begun, started('a'), done('a', 1, [], ['it is a monorepo', 'it is old']), judged('a')),
      'discovery',
      'it is a monorepo\nit is old',
    ],
    [
      'after every so many completions, if that is set',
      play(
        running(planOf('a', 'b', specOf('c', { depends_on: ['d'] }), 'd'), {
          policy: policyOf({ replan_interval: 2 }),
        }),
        ...completes('a'),
        ...completes('b'),
      ),
      'interval',
      '2 subtasks were completed since the last plan',
    ],
    [
      'when nothing can run any more',
      play(running(planOf('a', later)), skip('a')),
      'stalled',
      'later waits for a, which will not complete',
    ],
  ])('%s', (_, { state, last, events }, reason, detail) => {
    expect(state.course.replan).toEqual({ reason, detail, next: null });
    expect(state).toMatchObject({ status: 'running', plan_version: 1, course: { replans: 1 } });
    expect(last.units.filter(({ queue }) => queue === 'plans')).toEqual([
      unitOf('plans', { attempt: state.plan_attempts }),
    ]);
    expect(theEvent(events, 'task.replanning').data).toEqual({ reason, detail, plan_version: 1 });
  });

  it('for no discovery when that is switched off, or nothing is left to plan', () => {
    const found = (id: string) => [started(id), done(id, 1, [], ['x']), judged(id)];
    const off = running(plan, { policy: policyOf({ replan_on_discovery: false }) });
    expect(play(off, ...found('a')).state.course.replan).toBeNull();
    expect(play(running(planOf('a', 'b')), ...found('a')).state.course.replan).toBeNull();
  });

  it('one at a time; what is asked for meanwhile comes next, a person before the rest', () => {
    const more = play(replanning, steer('be brief'));
    expect(more.last.units).toEqual([]);
    expect(more.state.course).toMatchObject({ replans: 1, replan: { next: 'steered' } });
    const found = play(more, started('a'), done('a', 1, [], ['x']), judged('a'));
    expect(found.state.course.replan?.next).toBe('steered');
    const next = play(found, planMade(plan));
    expect(next.state.course).toMatchObject({ replans: 2, replan: { reason: 'steered' } });
    expect(next.last.units).toMatchObject([{ queue: 'plans', attempt: 2 }]);
  });

  it('with a detail that is bounded', () => {
    const { course } = play(begun, replan('😀'.repeat(3_000))).state;
    expect(course.replan?.detail.length).toBeLessThanOrEqual(2_000);
    expect(course.replan?.detail.isWellFormed()).toBe(true);
  });

  it('but not before there is a plan', () => {
    const unplanned = planning();
    expect(play(unplanned, replan()).last).toEqual(nothingFor(unplanned.state));
  });

  it.each([
    ['while the task is being cancelled', play(begun, started('a'), stop('cancel'))],
    ['after its end', play(begun, stop('abort'))],
  ])('but not %s', (_, { state }) => {
    expect(play(state, replan()).last).toEqual(nothingFor(state));
  });

  it('and work goes on meanwhile', () => {
    const onward = play(replanning, ...completes('a'));
    expect(statuses(onward.state)).toMatchObject({ a: 'completed', later: 'queued' });
  });
});

describe('a new plan that keeps the contract', () => {
  const half = play(
    running(planOf('a', specOf('b', once), 'c', later)),
    started('a'),
    done('a', 1, ['a.md']),
    judged('a'),
    ...breaks('b'),
  );
  const next = planOf(
    specOf('a', { description: 'do a all over' }),
    specOf('b', { description: 'do b in another way' }),
    'c',
    later,
    specOf('d', { depends_on: ['b'] }),
  );
  const accepted = play(half, planMade(next));

  it('is the next version, told with what it changes', () => {
    expect(accepted.state).toMatchObject({ plan_version: 2, course: { replan: null } });
    const diff = { added: ['d'], changed: ['b'], kept: ['a', 'c', 'later'] };
    expect(accepted.last.plan).toMatchObject({ version: 2, reason: 'subtask_failed', diff });
    expect(accepted.last.events[0]).toMatchObject({
      type: 'task.plan_ready',
      data: { plan_version: 2, reason: 'subtask_failed', diff },
    });
  });

  it('keeps finished results as they are, whatever it says of them', () => {
    expect(subtaskIn(accepted.state, 'a')).toEqual(subtaskIn(half.state, 'a'));
    expect(accepted.state.files_changed).toEqual(['a.md']);
    expect(accepted.last.plan?.subtasks[0]?.description).toBe('do a');
  });

  it('runs only what failed again, as its next attempt with a fresh count', () => {
    expect(statuses(accepted.state)).toEqual({
      a: 'completed',
      b: 'queued',
      c: 'queued',
      later: 'queued',
      d: 'pending',
    });
    expect(accepted.last.units.map(({ subtask_id }) => subtask_id)).toEqual(['b']);
    expect(subtaskIn(accepted.state, 'b')).toMatchObject({
      attempts: 2,
      attempts_forgiven: 1,
      feedback: 'broke like b',
      spec: { description: 'do b in another way' },
    });
    expect(accepted.state.errors).toEqual([]);
  });

  it('leaves alone what is at work and did not change', () => {
    expect(subtaskIn(accepted.state, 'c')).toEqual(subtaskIn(half.state, 'c'));
    expect(accepted.last.withdraw).toBe('none');
  });

  it('leaves what a person skipped, and what kept killing its workers', () => {
    const ended = play(begun, skip('a'), died('subtasks', 'b', 1), replan());
    const onward = play(
      ended,
      planMade(planOf('a', 'b', specOf('later')), ended.state.plan_attempts),
    );
    expect(statuses(onward.state)).toEqual({ a: 'skipped', b: 'failed', later: 'queued' });
  });

  it('puts the subtasks into its order', () => {
    const turned = play(replanning, planMade(planOf(later, 'b', 'a')));
    expect(turned.state.subtasks.map(({ id }) => id)).toEqual(['later', 'b', 'a']);
  });

  it('is taken in by a paused task, which starts nothing of it', () => {
    const paused = play(replanning, pause(), planMade(planOf('a', 'b', later, 'new')));
    expect(paused.state).toMatchObject({ status: 'paused', plan_version: 2 });
    expect(statuses(paused.state).new).toBe('pending');
  });
});

describe('a new plan that breaks the contract', () => {
  it.each([
    ['forgets subtasks', planMade(planOf('a')), ['b', 'later']],
    [
      'has a cycle',
      planMade(
        planOf(specOf('a', { depends_on: ['b'] }), specOf('b', { depends_on: ['a'] }), later),
      ),
      ['a', 'b', 'later'],
    ],
    ['cannot be made', planUnavailable(), ['plan']],
    ['kills its planners', died('plans', null, 1), ['plan']],
    [
      'stays invalid',
      {
        kind: 'plan_invalid',
        attempt: 1,
        errors: [{ subtask_id: 'b', code: 'cycle', message: 'waits for itself' }],
      } satisfies TaskInput as TaskInput,
      ['b'],
    ],
  ])('is rejected by name when it %s, and the old one stands', (_, input, subtask_ids) => {
    const rejected = play(replanning, input);
    expect(theEvent(rejected.last.events, 'task.plan_rejected').data).toMatchObject({
      subtask_ids,
      plan_version: 1,
    });
    expect(rejected.state).toMatchObject({
      status: 'running',
      plan_version: 1,
      course: { replan: null, plan_is_final: true },
    });
    expect(rejected.state.subtasks).toEqual(replanning.state.subtasks);
    expect(rejected.last.plan).toBeNull();
  });

  it('leaves the exhausted subtask failed; what can still run runs, then the task fails', () => {
    const half = play(running(planOf(specOf('a', once), 'b', later)), ...breaks('a'));
    const rejected = play(half, planMade(planOf('z')));
    expect(statuses(rejected.state)).toEqual({ a: 'failed', b: 'queued', later: 'pending' });
    const over = play(rejected, ...completes('b'));
    expect(statuses(over.state)).toEqual({ a: 'failed', b: 'completed', later: 'blocked' });
    expect(over.state.status).toBe('failed');
  });

  it('is the last one the engine asks for; a person may still ask for another', () => {
    const two = running(planOf(specOf('a', once), specOf('b', once), 'c'));
    const rejected = play(two, replan(), planMade(planOf('z')), ...breaks('a'));
    expect(rejected.state.course.replan).toBeNull();
    expect(play(rejected, replan()).state.course.replan).not.toBeNull();
  });
});

describe('the cap on plan versions', () => {
  const policy = policyOf({ max_plan_versions: 2, approval: { timeout_seconds: 60 } });
  const capped = play(running(plan, { policy }), replan(), planMade(plan));
  const asked = play(capped, replan('once more'));

  it('is where a person is asked, and nothing is planned meanwhile', () => {
    expect(asked.last.units).toEqual([]);
    expect(asked.last.approvals).toMatchObject([
      { op: 'open', kind: 'replan', arguments: { plan_version: 2, reason: 'requested' } },
    ]);
    expect(asked.state.course.replan).toBeNull();
    expect(asked.state.status).toBe('running');
    expect(play(asked, replan()).last).toEqual(nothingFor(asked.state));
  });

  it('is raised by one when the person says yes', () => {
    const allowed = play(asked, answers(1, 'approve'));
    expect(allowed.last.units).toMatchObject([{ queue: 'plans', attempt: 2 }]);
    const third = play(allowed, planMade(plan, 2));
    expect(third.state.plan_version).toBe(3);
    expect(play(third, replan()).last.approvals).toMatchObject([{ kind: 'replan' }]);
  });

  it('stands when the person says no, or nothing', () => {
    for (const steps of [[answers(1, 'deny')], after(60)]) {
      const refused = play(asked, ...steps);
      expect(refused.state.course).toMatchObject({ approvals: [], plan_is_final: true });
      expect(refused.last.units).toEqual([]);
    }
  });

  it('asks nobody for a mere improvement', () => {
    const found = play(capped, started('a'), done('a', 1, [], ['x']), judged('a'));
    expect(found.last.approvals).toEqual([]);
    expect(found.state.course.replan).toBeNull();
  });
});

describe('max_replans', () => {
  it('ends replanning by itself, names the budget, and lets the rest run', () => {
    const limited = running(planOf(specOf('a', once), 'b'), { limits: { max_replans: 1 } });
    const spent = play(limited, replan(), planMade(planOf(specOf('a', once), 'b')), ...breaks('a'));
    expect(theEvent(spent.last.events, 'task.budget_exhausted').data).toEqual({
      budget: 'max_replans',
      scope: 'task',
      used: 1,
      limit: 1,
    });
    expect(statuses(spent.state)).toEqual({ a: 'failed', b: 'queued' });
    expect(play(spent, ...completes('b')).state.status).toBe('failed');
  });
});

describe('what a replanner says', () => {
  it('late, for an older request or after the end, changes nothing', () => {
    const over = play(replanning, planMade(plan));
    const cancelled = play(replanning, started('a'), stop('cancel'));
    for (const { state } of [over, cancelled, play(replanning, stop('abort'))]) {
      for (const input of [planMade(planOf('z')), planUnavailable(), planningStarted()]) {
        expect(play(state, input).last).toEqual(nothingFor(state));
      }
    }
  });

  it('at its beginning is nothing to speak of', () => {
    expect(play(replanning, planningStarted()).last).toEqual(nothingFor(replanning.state));
  });

  it('does not bring a critical failure back that came meanwhile', () => {
    const key = specOf('key', { ...once, is_critical_path: true });
    const two = planOf(key, 'b', specOf('c', { depends_on: ['b'] }));
    const called = play(running(two), started('b'), replan(), ...breaks('key'));
    expect(theEvent(called.last.events, 'task.plan_rejected').data.subtask_ids).toEqual(['key']);
    expect(statuses(called.state)).toEqual({ key: 'failed', b: 'running', c: 'skipped' });
    expect(play(called, planMade(two)).last).toEqual(nothingFor(called.state));
    expect(types(play(called, ...completes('b').slice(1)).last.events).at(-1)).toBe('task.failed');
  });
});
