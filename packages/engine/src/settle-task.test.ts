import { describe, expect, it } from 'vitest';
import {
  breaks,
  completes,
  done,
  judged,
  pause,
  play,
  running,
  started,
  withState,
} from './test-support/play.ts';
import { planOf, specOf, statuses, theEvent, types, unitOf } from './test-support/task-fixtures.ts';

describe('settleTask', () => {
  it('starts a subtask the moment its last dependency completes, without waiting for a batch', () => {
    const plan = planOf('slow', 'a', specOf('b', { depends_on: ['a'] }));
    const after = play(running(plan), started('slow'), ...completes('a'));
    expect(statuses(after.state)).toEqual({ slow: 'running', a: 'completed', b: 'queued' });
    expect(after.last.units).toEqual([unitOf('subtasks', { subtask_id: 'b', tier: 1 })]);
  });

  it('holds at most max_parallel subtasks active and fills each freed place', () => {
    const begun = running(planOf('a', 'b', 'c'), { max_parallel: 2 });
    expect(statuses(begun.state)).toEqual({ a: 'queued', b: 'queued', c: 'pending' });
    const after = play(begun, ...completes('b'));
    expect(statuses(after.state)).toEqual({ a: 'queued', b: 'completed', c: 'queued' });
  });

  it('runs the synthesis last and then completes the task', () => {
    const plan = planOf(specOf('sum', { is_synthesis: true }), 'a', 'b');
    const almost = play(running(plan), ...completes('a'));
    expect(statuses(almost.state).sum).toBe('pending');
    const ready = play(almost, ...completes('b'));
    expect(statuses(ready.state).sum).toBe('queued');
    const over = play(ready, ...completes('sum'));
    expect(over.state).toMatchObject({ status: 'completed', verification: 'verified', errors: [] });
    expect(over.last.withdraw).toBe('all');
  });

  it('says once that a subtask starves, at its third deferral', () => {
    const plan = planOf(
      specOf('holder', { deliverables: ['a.md'] }),
      specOf('kept-back', { deliverables: ['a.md'] }),
      ...['p', 'q', 'r'],
    );
    const twice = play(running(plan), ...completes('p'));
    expect(types(twice.events)).not.toContain('subtask.starved');
    const thrice = play(twice, ...completes('q'));
    expect(thrice.last.events.at(-1)).toMatchObject({
      type: 'subtask.starved',
      subtask_id: 'kept-back',
      data: { deferrals: 3 },
    });
    const later = play(thrice, ...completes('r'));
    expect(types(later.events).filter((type) => type === 'subtask.starved')).toHaveLength(1);
    expect(statuses(play(later, ...completes('holder')).state)['kept-back']).toBe('queued');
  });

  it('leaves what waits for a failed subtask pending while other work runs, then blocks it', () => {
    const plan = planOf(
      specOf('a', { max_retries: 0 }),
      specOf('b', { depends_on: ['a'] }),
      specOf('c', { depends_on: ['b'] }),
      'free',
      specOf('sum', { is_synthesis: true }),
    );
    const begun = running(plan);
    // No other plan is asked for.
    const final = withState(begun, { course: { ...begun.state.course, plan_is_final: true } });
    const broken = play(final, ...breaks('a', 1, 'it broke'));
    expect(broken.state.status).toBe('running');
    expect(statuses(broken.state)).toEqual({
      a: 'failed',
      b: 'pending',
      c: 'pending',
      free: 'queued',
      sum: 'pending',
    });
    const over = play(broken, ...completes('free'));
    expect(statuses(over.state)).toMatchObject({ b: 'blocked', c: 'blocked', sum: 'blocked' });
    expect(over.state).toMatchObject({
      status: 'failed',
      verification: 'partly_verified',
      errors: [{ code: 'tool_failed', message: 'it broke', subtask_id: 'a' }],
    });
  });

  it('skips what is pending when a critical subtask fails, and lets what is active finish', () => {
    const plan = planOf(
      specOf('key', { is_critical_path: true, max_retries: 0 }),
      'active',
      specOf('next', { depends_on: ['active'] }),
      specOf('also-critical', { depends_on: ['next'], is_critical_path: true }),
    );
    const broken = play(running(plan), started('active'), ...breaks('key'));
    expect(statuses(broken.state)).toEqual({
      key: 'failed',
      active: 'running',
      next: 'skipped',
      'also-critical': 'skipped',
    });
    const over = play(broken, ...completes('active').slice(1));
    expect(over.state.status).toBe('failed');
    expect(over.state.errors).toHaveLength(1);
  });

  it('starts nothing in a paused task', () => {
    const paused = play(running(planOf('a', specOf('b', { depends_on: ['a'] }))), pause());
    const after = play(paused, done('a'), judged('a'));
    expect(after.last.units).toEqual([]);
  });

  it('puts everything a reader of the log needs into the last event', () => {
    const begun = running(planOf('a'));
    const spent = {
      tokens: 17,
      cost_micros: 5,
      model_calls: 2,
      tool_calls: 3,
      mutating_tool_calls: 1,
    };
    const busy = withState(begun, {
      spent,
      course: { ...begun.state.course, actions: { write_file: 1, read_file: 2 } },
    });
    const over = play(busy, ...breaks('a'), ...completes('a', 2));
    expect(over.events.at(-1)).toEqual({
      type: 'task.completed',
      data: {
        verification: 'verified',
        summary: over.state.summary,
        files_changed: [],
        errors: [],
        run: {
          ...spent,
          plan_version: 1,
          replans: 0,
          remediation_attempts: 0,
          attempts: 2,
          actions: { write_file: 1, read_file: 2 },
        },
      },
    });
    expect(over.state.summary).toContain('[x] a: do a — did a');
    expect(over.state.summary).toContain('Actions: write_file ×1, read_file ×2');
  });

  it('says in the last event which plans and repairs it took', () => {
    const key = specOf('key', { is_critical_path: true, max_retries: 0 });
    const begun = running(planOf(key));
    const policy = { ...begun.state.policy, critical_path_behavior: 'queue_follow_up' as const };
    const over = play(
      withState(begun, { policy }),
      { kind: 'replan_requested', by: 'key_1', reason: 'look' },
      { kind: 'plan_made', attempt: 1, plan: planOf(key) },
      ...breaks('key'),
      { kind: 'wait', seconds: 2 },
      { kind: 'time_passed' },
      ...completes('key', 2),
    );
    expect(theEvent(over.last.events, 'task.completed').data.run).toMatchObject({
      plan_version: 2,
      replans: 1,
      remediation_attempts: 1,
      attempts: 2,
    });
  });
});
