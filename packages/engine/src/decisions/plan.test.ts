import type { TaskInput } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import {
  completes,
  freshTask,
  planOf,
  play,
  running,
  specOf,
  started,
  statuses,
  stop,
  types,
} from '../test-support/task-fixtures.ts';

const created: TaskInput = { kind: 'created', plan: null };
const planningStarted: TaskInput = { kind: 'planning_started' };
const planMade: TaskInput = { kind: 'plan_made', plan: planOf('a', 'b') };
const planInvalid: TaskInput = {
  kind: 'plan_invalid',
  errors: [{ subtask_id: 'a', code: 'cycle', message: 'waits for itself through b' }],
};
const planUnavailable = (degrade: boolean): TaskInput => ({
  kind: 'plan_unavailable',
  reason: 'the model is away',
  degrade,
});
const planDied: TaskInput = {
  kind: 'unit_died',
  queue: 'plans',
  subtask_id: null,
  attempt: 1,
  reason: '3 starts without progress',
};

describe('created', () => {
  it('asks a planner when the caller brought no plan', () => {
    const { state, last } = play(freshTask(), created);
    expect(state).toMatchObject({ status: 'queued', plan_version: 0, plan_attempts: 1 });
    expect(last.units).toEqual([{ queue: 'plans', subtask_id: null, attempt: 1, tier: null }]);
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
    expect(last.units).toEqual([{ queue: 'subtasks', subtask_id: 'a', attempt: 1, tier: 1 }]);
    expect(last.plan).toMatchObject({ version: 1, degraded: false });
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
  const planning = play(freshTask(), created, planningStarted);

  it('is shown when a planner takes the task up, and again when another takes over', () => {
    expect(planning.state.status).toBe('planning');
    expect(types(planning.last.events)).toEqual(['task.planning']);
    const over = play(planning, planningStarted);
    expect(over.state).toEqual(planning.state);
    expect(over.last.events).toEqual([{ type: 'run.recovered', data: { queue: 'plans' } }]);
  });

  it('ends with a plan that runs', () => {
    const { state, last } = play(planning, planMade);
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
    const { state, last } = play(planning, planInvalid);
    expect(state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'invalid_plan', message: 'a: waits for itself through b', subtask_id: 'a' }],
    });
    expect(types(last.events)).toEqual(['task.plan_rejected', 'task.failed']);
  });

  it('does not run a graph that does not hold, whoever says it was made', () => {
    const broken = planOf(specOf('a', { depends_on: ['a'] }));
    expect(play(planning, { kind: 'plan_made', plan: broken }).state.status).toBe('failed');
  });

  it('does the goal as one subtask when no plan can be had and that is allowed', () => {
    const { state, last } = play(planning, planUnavailable(true));
    expect(statuses(state)).toEqual({ 'execute-goal': 'queued' });
    expect(state.subtasks[0]?.spec).toMatchObject({ description: 'build it', max_retries: 3 });
    expect(last.events[0]).toEqual({
      type: 'task.plan_degraded',
      data: { reason: 'the model is away' },
    });
    expect(last.plan?.degraded).toBe(true);
  });

  it('cuts a long goal for that subtask without halving a character', () => {
    const long = freshTask({ goal: `${'x'.repeat(19_999)}😀` });
    const { state } = play(long, created, planUnavailable(true));
    const description = state.subtasks[0]?.spec.description ?? '';
    expect(description).toHaveLength(20_000);
    expect(description.isWellFormed()).toBe(true);
  });

  it('fails when no plan can be had and degrading is not allowed', () => {
    const { state } = play(planning, planUnavailable(false));
    expect(state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'plan_unavailable', message: 'the model is away' }],
    });
  });

  it('fails when its unit kept dying', () => {
    expect(play(planning, planDied).state).toMatchObject({
      status: 'failed',
      errors: [{ code: 'dead_letter', message: '3 starts without progress' }],
    });
  });
});

describe('what planners say late', () => {
  const planned = play(freshTask(), created, planningStarted, planMade, started('a'));
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
    planningStarted,
    { kind: 'plan_made', plan: planOf('z') } as const,
    planInvalid,
    planUnavailable(true),
    planUnavailable(false),
    planDied,
  ];

  it.each(Object.entries(past))('changes nothing for %s', (_, { state }) => {
    for (const input of late) {
      expect(play(state, input).last).toEqual({
        state,
        events: [],
        units: [],
        withdraw: 'none',
        plan: null,
      });
    }
  });
});
