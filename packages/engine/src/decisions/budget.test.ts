import {
  type BudgetLimits,
  type BudgetScope,
  nothingSpent,
  nothingWanted,
  type Spent,
} from '@loom/shared/budget';
import { describe, expect, it } from 'vitest';
import {
  after,
  answers,
  completes,
  done,
  failed,
  type History,
  judged,
  planning,
  planningStarted,
  play,
  resume,
  retry,
  running,
  started,
  stop,
  under,
  wants,
  withState,
} from '../test-support/play.ts';
import { storedAndLoaded } from '../test-support/stored-state.ts';
import {
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  theEvent,
  types,
} from '../test-support/task-fixtures.ts';

const plan = planOf('a', 'b', specOf('c', { depends_on: ['a'] }));
const inSession = policyOf({ on_budget: 'pause', approval: { timeout_seconds: 60 } });

const limited = (limits: BudgetLimits, policy = policyOf()) => running(plan, { limits, policy });

/** As the database charges it: what was spent is no longer held. */
function spends(history: History, unit: string, calls: Partial<Spent>): History {
  const { state } = history;
  const spent = { ...state.spent };
  for (const name of Object.keys(calls) as (keyof Spent)[]) spent[name] += calls[name] ?? 0;
  const { [unit]: _, ...holds } = state.course.holds;
  return withState(history, { spent, course: { ...state.course, holds } });
}

const scope = (limits: BudgetLimits, fields: Partial<BudgetScope> = {}): BudgetScope => ({
  id: 'ses_1',
  kind: 'session',
  limits,
  spent: nothingSpent,
  held: nothingWanted,
  ...fields,
});

describe('a reservation', () => {
  it('comes with the start: the first call of an attempt is granted by it', () => {
    const { state } = play(limited({ max_model_calls: 5 }), started('a'));
    expect(state.course.holds).toEqual({ 'subtasks/a/1': { ...nothingWanted, model_calls: 1 } });
  });

  it('takes the place of the one before it', () => {
    const { state } = play(
      limited({ max_model_calls: 5 }),
      started('a'),
      wants('subtasks', 'a', { tool_calls: 3, mutating_tool_calls: 1 }),
    );
    expect(state.course.holds).toEqual({
      'subtasks/a/1': { model_calls: 0, tool_calls: 3, mutating_tool_calls: 1 },
    });
  });

  it('is given back when its unit is over', () => {
    const busy = play(limited({ max_model_calls: 5 }), started('a'), started('b'));
    expect(Object.keys(play(busy, done('a')).state.course.holds)).toEqual(['subtasks/b/1']);
    expect(Object.keys(play(busy, failed('a')).state.course.holds)).toEqual(['subtasks/b/1']);
    expect(play(busy, stop('abort')).state.course.holds).toEqual({});
  });

  it('is not made where nothing is limited', () => {
    expect(play(running(plan), started('a')).state.course.holds).toEqual({});
    expect(play(limited({ max_seconds: 9 }), started('a')).state.course.holds).toEqual({});
  });

  it('of planners, verifiers and retries counts like any other', () => {
    const planner = planning({ limits: { max_model_calls: 5 } });
    expect(Object.keys(planner.state.course.holds)).toEqual(['plans//1']);
    const verifier = play(limited({ max_model_calls: 5 }), started('a'), done('a'));
    expect(verifier.state.course.holds).toEqual({});
    const asked = play(verifier, wants('verifications', 'a'));
    expect(Object.keys(asked.state.course.holds)).toEqual(['verifications/a/1']);
    const second = play(
      limited({ max_model_calls: 5 }),
      started('a'),
      failed('a'),
      started('a', 2),
    );
    expect(Object.keys(second.state.course.holds)).toEqual(['subtasks/a/2']);
  });

  it('is not made for a unit that is over, nor for one that wraps up', () => {
    const busy = play(limited({ max_model_calls: 1 }), started('a'));
    expect(play(busy, wants('subtasks', 'b')).last).toEqual(nothingFor(busy.state));
    expect(play(busy, wants('plans', null)).last).toEqual(nothingFor(busy.state));
    const wrapping = play(busy, stop('cancel'));
    expect(play(wrapping, wants('subtasks', 'a')).last).toEqual(nothingFor(wrapping.state));
  });

  it('lets two units never both take the last call', () => {
    const one = play(limited({ max_model_calls: 1 }), started('a'));
    expect(one.state.course.exhausted).toBeNull();
    const both = play(one, started('b'));
    expect(both.state.course.exhausted).toMatchObject({ budget: 'max_model_calls' });
    expect(Object.keys(both.state.course.holds)).toEqual(['subtasks/a/1']);
    expect(statuses(both.state)).toEqual({ a: 'running', b: 'skipped', c: 'skipped' });
  });

  it('is remembered across a restart', () => {
    const one = play(limited({ max_model_calls: 1 }), started('a'));
    const restarted = { ...one, state: storedAndLoaded(one.state) };
    expect(play(restarted, started('b')).state.course.exhausted).not.toBeNull();
  });

  it('that was spent makes room for nothing', () => {
    const one = play(limited({ max_model_calls: 2 }), started('a'));
    const spent = spends(one, 'subtasks/a/1', { model_calls: 1 });
    const last = play(spent, wants('subtasks', 'a'));
    expect(last.state.course.exhausted).toBeNull();
    expect(play(last, started('b')).state.course.exhausted).toMatchObject({ limit: 2 });
  });
});

describe('the budgets above a task', () => {
  it('bound its calls along with its own', () => {
    const free = under(running(plan), scope({ max_model_calls: 2 }));
    const held = { ...nothingWanted, model_calls: 1 };
    expect(play(free, started('a')).state.course.exhausted).toBeNull();
    const full = under(
      running(plan),
      scope({ max_model_calls: 2 }, { held, spent: { ...nothingSpent, model_calls: 1 } }),
    );
    expect(play(full, started('a')).state.course.exhausted).toEqual({
      budget: 'max_model_calls',
      scope: 'session',
      used: 2,
      limit: 2,
    });
  });

  it('do not count twice what the unit itself holds', () => {
    const held = { ...nothingWanted, model_calls: 1 };
    const one = play(under(running(plan), scope({ max_model_calls: 1 })), started('a'));
    const again = play(under(one, scope({ max_model_calls: 1 }, { held })), wants('subtasks', 'a'));
    expect(again.state.course.exhausted).toBeNull();
  });

  it('of a tenant end a task even in a session: nobody in it can raise them', () => {
    const spent = { ...nothingSpent, tokens: 10 };
    const tenant = scope({ max_tokens: 10 }, { id: 'default', kind: 'tenant', spent });
    const over = play(under(limited({}, inSession), tenant), started('a'));
    expect(over.state.course.exhausted).toMatchObject({ scope: 'tenant', budget: 'max_tokens' });
  });
});

describe('a spent budget outside a session', () => {
  const spent = play(limited({ max_model_calls: 1 }), started('a'), started('b'));

  it('is named by an event, skips what is pending and lets what is at work finish', () => {
    expect(theEvent(spent.events, 'task.budget_exhausted').data).toEqual({
      budget: 'max_model_calls',
      scope: 'task',
      used: 1,
      limit: 1,
    });
    expect(statuses(spent.state)).toEqual({ a: 'running', b: 'skipped', c: 'skipped' });
    expect(spent.state.status).toBe('running');
  });

  it('ends the task with the reason', () => {
    const over = play(spent, done('a'), judged('a'));
    expect(over.state).toMatchObject({
      status: 'failed',
      errors: [
        {
          code: 'budget_exhausted',
          message: "The task's max_model_calls of 1 is spent (1 used).",
        },
      ],
    });
    expect(types(over.events).filter((type) => type === 'task.budget_exhausted')).toHaveLength(1);
  });

  it('refuses whatever asks after that', () => {
    const asked = play(spent, wants('subtasks', 'a'));
    expect(asked.state.course.holds).toEqual(spent.state.course.holds);
    const ended = play(asked, failed('a', 1, 'no more calls', 'budget_exhausted'));
    expect(statuses(ended.state).a).toBe('skipped');
    expect(ended.state.status).toBe('failed');
  });

  it('leaves a task without a plan nothing to do', () => {
    const tokens = withState(planning({ limits: { max_tokens: 5 } }), {
      spent: { ...nothingSpent, tokens: 5 },
    });
    const over = play(tokens, planningStarted(1, true));
    expect(over.state).toMatchObject({ status: 'failed' });
    expect(over.state.errors.map(({ code }) => code)).toContain('budget_exhausted');
  });

  it('lets no replan begin', () => {
    const asked = play(spent, { kind: 'replan_requested', by: 'key_1', reason: 'x' });
    expect(asked.last).toEqual(nothingFor(spent.state));
  });

  it('is spent still when the task is tried again, until it is raised', () => {
    const over = play(spent, done('a'), judged('a'));
    const again = play(withState(over, { spent: { ...nothingSpent, model_calls: 1 } }), retry());
    expect(statuses(again.state)).toMatchObject({ a: 'completed', b: 'queued' });
    expect(play(again, started('b', 2)).state.course.exhausted).not.toBeNull();
  });
});

describe('a spent budget in a session', () => {
  const busy = play(limited({ max_model_calls: 1 }, inSession), started('a'));
  const asked = play(busy, started('b'));

  it('pauses the task and asks for more', () => {
    expect(asked.state).toMatchObject({
      status: 'paused',
      course: { exhausted: null, paused: { by: 'budget', reason: 'budget' } },
    });
    expect(types(asked.last.events)).toEqual([
      'task.budget_exhausted',
      'task.paused',
      'approval.requested',
    ]);
    expect(asked.last.approvals).toMatchObject([
      { op: 'open', kind: 'budget', arguments: { scope: 'task', max_model_calls: 2 } },
    ]);
    // Nothing is lost: what was refused waits.
    expect(statuses(asked.state)).toEqual({ a: 'running', b: 'queued', c: 'pending' });
  });

  it('asks once, however many units are refused', () => {
    const more = play(asked, wants('subtasks', 'a', { model_calls: 2 }));
    expect(more.last.events).toEqual([]);
  });

  it('goes on when it is raised by the answer', () => {
    const raised = play(asked, answers(1, 'approve', { arguments: { max_model_calls: 9 } }));
    expect(raised.state).toMatchObject({
      status: 'running',
      limits: { max_model_calls: 9 },
      course: { paused: null, approvals: [] },
    });
    expect(raised.last.wake.paused).toBe(true);
    expect(types(raised.last.events)).toEqual([
      'approval.decided',
      'task.budget_raised',
      'task.resumed',
    ]);
    expect(statuses(play(raised, started('b', 1, true)).state).b).toBe('running');
  });

  it('goes on when it is raised with the resume, which answers the question', () => {
    const raised = play(asked, resume(null, { max_model_calls: 9 }));
    expect(raised.state).toMatchObject({ status: 'running', limits: { max_model_calls: 9 } });
    expect(raised.last.approvals).toMatchObject([{ op: 'close', status: 'approved' }]);
  });

  it('pauses again when it was not raised', () => {
    const again = play(asked, resume(), started('b', 1, true));
    expect(again.state.status).toBe('paused');
    expect(again.last.approvals).toMatchObject([{ op: 'open', id: 'apr_1-2' }]);
  });

  it.each([
    ['denied', [answers(1, 'deny')]],
    ['not answered in time', after(60)],
  ])('ends the task when more is %s', (_, steps) => {
    const denied = play(asked, ...steps);
    expect(denied.state.course).toMatchObject({
      paused: null,
      exhausted: { budget: 'max_model_calls' },
    });
    // What is parked is woken to learn that it is over.
    expect(denied.last.wake.paused).toBe(true);
    const over = play(denied, started('b', 1, true), done('a'), judged('a'));
    expect(over.state.status).toBe('failed');
    expect(statuses(over.state)).toEqual({ a: 'completed', b: 'skipped', c: 'skipped' });
  });
});

describe('max_seconds', () => {
  it('runs from the beginning of the task and ends it', () => {
    const begun = play(limited({ max_seconds: 30 }), started('a'));
    expect(begun.state.wake_at).toBe(begun.now + 30_000);
    expect(play(begun, ...after(29)).last).toEqual(nothingFor(begun.state));
    const over = play(begun, ...after(30));
    expect(theEvent(over.last.events, 'task.budget_exhausted').data).toEqual({
      budget: 'max_seconds',
      scope: 'task',
      used: 30,
      limit: 30,
    });
    expect(statuses(over.state)).toEqual({ a: 'running', b: 'queued', c: 'skipped' });
  });

  it('is noticed by whatever happens next, if the sweeper is late', () => {
    const late = play(limited({ max_seconds: 30 }), { kind: 'wait', seconds: 31 }, started('a'));
    expect(types(late.last.events)[0]).toBe('task.budget_exhausted');
    expect(statuses(late.state).a).toBe('skipped');
  });

  it('pauses in a session, and begins anew when it is raised', () => {
    const paused = play(limited({ max_seconds: 30 }, inSession), ...after(30));
    expect(paused.state.status).toBe('paused');
    const raised = play(paused, answers(1, 'approve', { arguments: { max_seconds: 100 } }));
    expect(raised.state.course.deadline).toBe(raised.now + 100_000);
  });

  it('does not run out while the task waits for another budget, but right after', () => {
    const limits = { max_seconds: 30, max_model_calls: 1 };
    const policy = policyOf({ on_budget: 'pause' });
    const paused = play(limited(limits, policy), started('a'), started('b'), ...after(40));
    expect(types(paused.last.events)).toEqual([]);
    const onward = play(paused, answers(1, 'approve', { arguments: { max_model_calls: 9 } }));
    expect(onward.state.course.paused?.exhaustion?.budget).toBe('max_seconds');
  });

  it('set to 0 has no end', () => {
    const begun = play(limited({ max_seconds: 30 }), resume(null, { max_seconds: 0 }));
    expect(begun.state.course.deadline).toBeNull();
    expect(play(begun, ...after(99)).last).toEqual(nothingFor(begun.state));
  });

  it('runs anew for a task that is tried again', () => {
    const over = play(limited({ max_seconds: 30 }), stop('abort'), { kind: 'wait', seconds: 99 });
    const again = play(over, retry());
    expect(again.state.course.deadline).toBe(again.now + 30_000);
    expect(play(again, ...completes('a', 2)).state.status).toBe('running');
  });
});
