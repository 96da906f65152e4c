import { nothingSpent } from '@loom/shared/budget';
import { describe, expect, it } from 'vitest';
import { foldEvents, replayableState } from './fold-events.ts';
import {
  after,
  answers,
  breaks,
  done,
  failed,
  judged,
  planMade,
  planning,
  planUnavailable,
  play,
  replan,
  resume,
  retry,
  running,
  started,
  stop,
  wait,
  wants,
  withState,
} from './test-support/play.ts';
import {
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskIn,
  theEvent,
  types,
} from './test-support/task-fixtures.ts';

const once = { max_retries: 0 };
const critical = { ...once, is_critical_path: true };
const rateLimited = (id: string) => failed(id, 1, 'slow down', 'model_rate_limited');

describe('where several things meet in one decision', () => {
  it('what a critical failure skips does not start, although it was about to', () => {
    const plan = planOf(specOf('one', critical), specOf('two', critical), 'x');
    const policy = policyOf({ critical_path_behavior: 'queue_follow_up' });
    const begun = running(plan, { policy, limits: { max_remediation_attempts: 1 } });
    // All three are due at the same instant, and only one repair is left.
    const waiting = play(begun, ...breaks('one'), ...breaks('two'), started('x'), rateLimited('x'));
    const due = play(waiting, ...after(2));
    expect(statuses(due.state)).toEqual({ one: 'queued', two: 'failed', x: 'skipped' });
    expect(due.last.units.map(({ subtask_id }) => subtask_id)).toEqual(['one']);
  });

  it('a subtask that waits to be tried again begins anew under a plan that changes it', () => {
    const waiting = play(running(planOf('a', 'b')), started('a'), rateLimited('a'), replan());
    const changed = play(waiting, planMade(planOf(specOf('a', { model_tier: 2 }), 'b')));
    expect(subtaskIn(changed.state, 'a')).toMatchObject({
      status: 'pending',
      attempts: 1,
      attempts_forgiven: 1,
      trail: { signatures: [], not_before: waiting.now + 2_000 },
    });
    const kept = play(waiting, planMade(planOf('a', 'b')));
    expect(subtaskIn(kept.state, 'a')).toEqual(subtaskIn(waiting.state, 'a'));
  });

  const manual = policyOf({ approval: { mode: 'manual', timeout_seconds: 60 } });
  const shown = (id: string) => [started(id), done(id), judged(id)];

  it('a planner that one failure calls for is called off by a critical one', () => {
    const plan = planOf(specOf('a', once), specOf('key', critical), 'busy');
    const begun = running(plan, { policy: manual });
    const both = play(begun, started('busy'), ...shown('a'), ...shown('key'), ...after(60));
    expect(types(both.last.events)).toContain('task.replanning');
    expect(statuses(both.state)).toEqual({ a: 'failed', key: 'failed', busy: 'running' });
    expect(both.last.units).toEqual([]);
    expect(both.state.course).toMatchObject({ replan: null, plan_is_final: true });
  });

  it('a task that ends hands out nothing, whatever was about to begin', () => {
    const plan = planOf('a', specOf('b', { depends_on: ['a'] }));
    const lenient = { ...manual, approval: { ...manual.approval, on_timeout: 'approve' as const } };
    const found = [started('a'), done('a', 1, [], ['it is old']), judged('a')];
    const late = play(running(plan, { policy: lenient }), ...found, wait(60), stop('abort'));
    expect(types(late.last.events)).toContain('task.replanning');
    expect(late.state.status).toBe('cancelled');
    expect(late.last.units).toEqual([]);
  });

  it('a task that ends because nobody answered is not taken up again in the same breath', () => {
    const policy = policyOf({
      planner_degraded_mode: 'require_approval',
      approval: { timeout_seconds: 60 },
    });
    const asked = play(planning({ policy }), planUnavailable());
    const late = play(asked, wait(60), retry());
    expect(types(late.last.events)).toEqual(['approval.expired', 'task.failed']);
    expect(late.last.units).toEqual([]);
    expect(play(late, retry()).state.status).toBe('queued');
  });

  it('a task that goes on is called what it then does, also by its log', () => {
    const plan = planOf(specOf('a', once), 'b');
    const policy = policyOf({ max_plan_versions: 1, on_budget: 'pause' });
    const begun = running(plan, { policy, limits: { max_model_calls: 1 }, max_parallel: 1 });
    // The pause finds an attempt at work, which then fails: two questions, and nothing under way.
    const asked = play(
      begun,
      started('a'),
      wants('subtasks', 'a', { model_calls: 2 }),
      failed('a'),
    );
    expect(asked.state.course.approvals.map(({ kind }) => kind)).toEqual(['budget', 'replan']);
    const onward = play(asked, resume(null, { max_model_calls: 9 }));
    expect(onward.state.status).toBe('running');
    expect(statuses(onward.state)).toEqual({ a: 'failed', b: 'queued' });
    expect(foldEvents(onward.events)).toEqual(replayableState(onward.state));
  });
});

describe('a task whose budget is spent', () => {
  const plan = planOf(specOf('a', once), 'b', 'c');
  const policy = policyOf({ max_plan_versions: 1 });
  const begun = running(plan, { policy, limits: { max_tokens: 10 } });
  const asked = play(begun, started('b'), ...breaks('a'));
  const spent = play(withState(asked, { spent: { ...nothingSpent, tokens: 10 } }), started('c'));

  it('is not planned again, although somebody allows it', () => {
    expect(spent.state.course).toMatchObject({
      exhausted: { budget: 'max_tokens' },
      approvals: [{ kind: 'replan' }],
    });
    const allowed = play(spent, answers(1, 'approve'));
    expect(allowed.last.units).toEqual([]);
    expect(allowed.state.course.replan).toBeNull();
  });

  it('does not wait for that question once nothing is at work', () => {
    const over = play(spent, done('b'), judged('b'));
    expect(over.state.status).toBe('failed');
    expect(theEvent(over.last.events, 'approval.expired').data.reason).toBe('the task ended');
  });

  it('has nothing tried again while it winds up', () => {
    expect(play(spent, retry('a')).last).toEqual(nothingFor(spent.state));
    expect(play(spent, retry()).last).toEqual(nothingFor(spent.state));
  });
});

it('whoever wraps up is granted nothing more', () => {
  const busy = play(running(planOf('a'), { limits: { max_tool_calls: 9 } }), started('a'));
  const wrapping = play(busy, stop('cancel'));
  const asked = play(wrapping, wants('subtasks', 'a', { tool_calls: 3 }));
  expect(asked.last).toEqual(nothingFor(wrapping.state));
});
