import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  after,
  answers,
  completes,
  died,
  pause,
  planMade,
  planning,
  planningStarted,
  planUnavailable,
  play,
  resume,
  running,
  started,
  stop,
} from '../test-support/play.ts';
import {
  freshTask,
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  theEvent,
  types,
  unitOf,
} from '../test-support/task-fixtures.ts';

const created: TaskInput = { kind: 'created', plan: null };
const planInvalid: TaskInput = {
  kind: 'plan_invalid',
  attempt: 1,
  errors: [{ subtask_id: 'a', code: 'cycle', message: 'waits for itself through b' }],
};

describe('created', () => {
  it('asks a planner when the caller brought no plan', () => {
    const { state, last } = play(freshTask(), created);
    expect(state).toMatchObject({ status: 'queued', plan_version: 0, plan_attempts: 1 });
    expect(last.units).toEqual([unitOf('plans')]);
    expect(types(last.events)).toEqual(['task.queued']);
  });

  it('runs the plan that the caller brought', () => {
    const { state, last } = running(planOf('a', specOf('b', { depends_on: ['a'], model_tier: 2 })));
    expect(state).toMatchObject({ status: 'running', plan_version: 1, plan_attempts: 0 });
    expect(types(last.events)).toEqual([
      'task.queued',
      'task.plan_ready',
      'task.running',
      'subtask.queued',
    ]);
    expect(last.units).toEqual([unitOf('subtasks', { subtask_id: 'a', tier: 1 })]);
    expect(last.plan).toMatchObject({
      version: 1,
      degraded: false,
      diff: { added: ['a', 'b'], changed: [], kept: [] },
    });
    expect(last.plan?.subtasks.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('fails with what is wrong with the plan that the caller brought', () => {
    const { state, last } = running(planOf('a', specOf('b', { depends_on: ['ghost'] })));
    expect(state.status).toBe('failed');
    expect(state.errors).toEqual([
      {
        code: 'invalid_plan',
        message: 'b: depends on "ghost", which is not in the plan',
        subtask_id: 'b',
      },
    ]);
    expect(types(last.events)).toEqual(['task.queued', 'task.plan_rejected', 'task.failed']);
    expect(last.units).toEqual([]);
    expect(last.plan).toBeNull();
  });
});

describe('planning', () => {
  const begun = planning();

  it('is shown when a planner takes the task up, and again when another takes over', () => {
    expect(begun.state.status).toBe('planning');
    expect(types(begun.last.events)).toEqual(['task.planning']);
    const over = play(begun, planningStarted());
    expect(over.state).toEqual(begun.state);
    expect(over.last.events).toEqual([{ type: 'run.recovered', data: { queue: 'plans' } }]);
  });

  it('that goes on after it was parked is nothing to speak of', () => {
    expect(play(begun, planningStarted(1, true)).last).toEqual(nothingFor(begun.state));
  });

  it('ends with a plan that runs', () => {
    const { state, last } = play(begun, planMade(planOf('a', 'b')));
    expect(state.status).toBe('running');
    expect(statuses(state)).toEqual({ a: 'queued', b: 'queued' });
    expect(last.events[0]).toMatchObject({
      type: 'task.plan_ready',
      data: {
        plan_version: 1,
        subtasks: [
          { id: 'a', description: 'do a', depends_on: [], is_synthesis: false },
          { id: 'b', description: 'do b', depends_on: [], is_synthesis: false },
        ],
      },
    });
  });

  it('fails the task with the structural errors the planner could not mend', () => {
    const { state, last } = play(begun, planInvalid);
    expect(state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'invalid_plan', message: 'a: waits for itself through b', subtask_id: 'a' }],
    });
    expect(types(last.events)).toEqual(['task.plan_rejected', 'task.failed']);
  });

  it('does not run a graph that does not hold, whoever says it was made', () => {
    const broken = planOf(specOf('a', { depends_on: ['a'] }));
    expect(play(begun, planMade(broken)).state.status).toBe('failed');
  });

  it('fails when its unit kept dying', () => {
    expect(play(begun, died('plans', null, 1)).state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'dead_letter', message: '3 starts without progress' }],
    });
  });

  it('that ends while the task is paused leaves it paused, with its plan', () => {
    const paused = play(begun, pause(), planMade(planOf('a')));
    expect(paused.state).toMatchObject({ status: 'paused', plan_version: 1 });
    expect(paused.last.units).toEqual([]);
    expect(types(paused.last.events)).toEqual(['task.plan_ready']);
    const onward = play(paused, resume());
    expect(onward.state.status).toBe('running');
    expect(statuses(onward.state)).toEqual({ a: 'queued' });
  });
});

describe('when no plan can be had, planner_degraded_mode', () => {
  const degraded = (planner_degraded_mode: 'allow' | 'require_approval' | 'deny') =>
    play(planning({ policy: policyOf({ planner_degraded_mode }) }), planUnavailable());

  it('"allow" does the goal as one subtask', () => {
    const { state, last } = degraded('allow');
    expect(statuses(state)).toEqual({ 'execute-goal': 'queued' });
    expect(state.subtasks[0]?.spec).toMatchObject({ description: 'build it', max_retries: 3 });
    expect(last.events[0]).toEqual({
      type: 'task.plan_degraded',
      data: { reason: 'the model is away' },
    });
    expect(last.plan?.degraded).toBe(true);
  });

  it('"allow" cuts a long goal for that subtask without halving a character', () => {
    const long = freshTask({ goal: `${'x'.repeat(19_999)}😀` });
    const { state } = play(long, created, planUnavailable());
    const description = state.subtasks[0]?.spec.description ?? '';
    expect(description).toHaveLength(20_000);
    expect(description.isWellFormed()).toBe(true);
  });

  it('"deny" fails the task', () => {
    expect(degraded('deny').state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'plan_unavailable', message: 'the model is away' }],
    });
  });

  it('"require_approval" asks a person, and starts nothing meanwhile', () => {
    const asked = degraded('require_approval');
    expect(asked.state).toMatchObject({ status: 'awaiting_confirmation', plan_version: 0 });
    expect(asked.last.units).toEqual([]);
    expect(asked.last.approvals).toMatchObject([{ op: 'open', id: 'apr_1-1', kind: 'plan' }]);
    expect(types(asked.last.events)).toEqual(['approval.requested', 'task.confirmation_required']);
    expect(theEvent(asked.events, 'approval.requested').data).toMatchObject({
      approval_id: 'apr_1-1',
      reason: 'No plan could be made: the model is away. Do the whole goal as one subtask?',
    });
    expect(asked.state.wake_at).toBe(asked.now + 3_600_000);
  });

  it('"require_approval" goes on as one subtask when that is approved', () => {
    const { state, last } = play(degraded('require_approval'), answers(1, 'approve'));
    expect(statuses(state)).toEqual({ 'execute-goal': 'queued' });
    expect(state).toMatchObject({ status: 'running', course: { approvals: [] } });
    expect(last.approvals).toMatchObject([{ op: 'close', status: 'approved', by: 'key_1' }]);
    expect(types(last.events).slice(0, 4)).toEqual([
      'approval.decided',
      'task.plan_degraded',
      'task.plan_ready',
      'task.running',
    ]);
  });

  it('"require_approval" fails with the reason when that is denied', () => {
    const denied = answers(1, 'deny', { reason: 'write a plan first' });
    expect(play(degraded('require_approval'), denied).state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'plan_unavailable', message: 'write a plan first' }],
    });
  });

  it.each([
    ['deny', 'failed'],
    ['approve', 'running'],
  ] as const)(
    '"require_approval" acts as on_timeout "%s" says when nobody answers',
    (on_timeout, status) => {
      const policy = policyOf({
        planner_degraded_mode: 'require_approval',
        approval: { timeout_seconds: 60, on_timeout },
      });
      const asked = play(planning({ policy }), planUnavailable());
      expect(play(asked, ...after(59)).last).toEqual(nothingFor(asked.state));
      const expired = play(asked, ...after(60));
      expect(expired.state.status).toBe(status);
      expect(expired.last.approvals).toMatchObject([{ op: 'close', status: 'expired', by: null }]);
    },
  );

  it('a second planner that gives up asks nothing twice', () => {
    const asked = degraded('require_approval');
    expect(play(asked, planUnavailable()).last).toEqual(nothingFor(asked.state));
    expect(play(asked, planMade(planOf('a'))).last).toEqual(nothingFor(asked.state));
  });
});

describe('what planners say late', () => {
  const planned = play(planning(), planMade(planOf('a', 'b')), started('a'));
  const past = {
    'a running task': planned,
    'a task that is being cancelled': play(planned, stop('cancel')),
    'a completed task': play(planned, ...completes('a').slice(1), ...completes('b')),
    'a task that failed in planning': play(freshTask(), created, planInvalid),
    'a task cancelled while it was planned': play(freshTask(), created, stop('cancel')),
  };
  const late = [
    created,
    { kind: 'created', plan: planOf('z') } as const,
    planningStarted(),
    planMade(planOf('z')),
    planInvalid,
    planUnavailable(),
    died('plans', null, 1),
  ];

  it.each(Object.entries(past))('changes nothing for %s', (_, { state }) => {
    for (const input of late) expect(play(state, input).last).toEqual(nothingFor(state));
  });

  it('changes nothing when another planner was asked since', () => {
    const again = play(freshTask(), created, stop('abort'), {
      kind: 'retry_requested',
      by: 'key_1',
      subtask_id: null,
      reuse_plan: true,
    });
    for (const input of late) expect(play(again, input).last).toEqual(nothingFor(again.state));
  });
});
