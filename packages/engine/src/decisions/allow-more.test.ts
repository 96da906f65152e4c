import { describe, expect, it } from 'vitest';
import { after, answers, breaks, planMade, play, running, started } from '../test-support/play.ts';
import {
  planOf,
  policyOf,
  specOf,
  statuses,
  types,
  unitOf,
} from '../test-support/task-fixtures.ts';

describe('a plan that has been changed as often as it may be', () => {
  const plan = planOf(specOf('a', { max_retries: 0 }), specOf('b', { depends_on: ['a'] }));
  const policy = policyOf({ max_plan_versions: 1 });
  const asked = play(running(plan, { policy }), ...breaks('a'));

  it('is changed once more only if a person says so', () => {
    expect(asked.state.status).toBe('awaiting_confirmation');
    expect(asked.last.approvals).toMatchObject([{ op: 'open', kind: 'replan' }]);
    expect(asked.last.units).toEqual([]);
  });

  it('approved goes to a planner, for one more version, and asks again after that', () => {
    const { state, last } = play(asked, answers(1, 'approve'));
    expect(last.units).toEqual([unitOf('plans')]);
    expect(state).toMatchObject({ status: 'running', course: { extra_versions: 1 } });
    const again = play(state, planMade(plan), ...breaks('a', 2));
    expect(again.state).toMatchObject({ plan_version: 2, status: 'awaiting_confirmation' });
    expect(again.last.approvals).toMatchObject([{ op: 'open', id: 'apr_1-2', kind: 'replan' }]);
  });

  it.each([
    ['denied', [answers(1, 'deny')]],
    ['left unanswered', after(3_600)],
  ])('%s leaves the task the plan it has', (_, inputs) => {
    const { state, last } = play(asked, ...inputs);
    expect(state).toMatchObject({ status: 'failed', course: { plan_is_final: true } });
    expect(statuses(state)).toEqual({ a: 'failed', b: 'blocked' });
    expect(types(last.events)).toContain('task.stalled');
  });
});

it.each([
  ['cannot be read', { max_model_calls: 'many' }],
  ['are not known', { max_wishes: 3 }],
])('an answer whose limits %s lets the task go on and raises nothing', (_, args) => {
  const fields = { policy: policyOf({ on_budget: 'pause' }), limits: { max_model_calls: 1 } };
  const asked = play(running(planOf('a', 'b'), fields), started('a'), started('b'));
  const { state, last } = play(asked, answers(1, 'approve', { arguments: args }));
  expect(state).toMatchObject({ status: 'running', limits: { max_model_calls: 1 } });
  expect(types(last.events)).toEqual(['approval.decided', 'task.resumed']);
});
