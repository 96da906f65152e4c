import { describe, expect, it } from 'vitest';
import {
  breaks,
  completes,
  planOf,
  play,
  running,
  specOf,
  started,
  statuses,
  types,
} from './test-support/task-fixtures.ts';

describe('settleTask', () => {
  it('starts a subtask the moment its last dependency completes, without waiting for a batch', () => {
    const plan = planOf('slow', 'a', specOf('b', { depends_on: ['a'] }));
    const after = play(running(plan), started('slow'), ...completes('a'));
    expect(statuses(after.state)).toEqual({ slow: 'running', a: 'completed', b: 'queued' });
    expect(after.last.units).toEqual([{ queue: 'subtasks', subtask_id: 'b', attempt: 1, tier: 1 }]);
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

  it('blocks what waits for a failed subtask, lets the rest run, then fails with the reasons', () => {
    const plan = planOf(
      specOf('a', { max_retries: 0 }),
      specOf('b', { depends_on: ['a'] }),
      specOf('c', { depends_on: ['b'] }),
      'free',
      specOf('sum', { is_synthesis: true }),
    );
    const broken = play(running(plan), ...breaks('a'));
    expect(broken.state.status).toBe('running');
    expect(statuses(broken.state)).toEqual({
      a: 'failed',
      b: 'blocked',
      c: 'blocked',
      free: 'queued',
      sum: 'blocked',
    });
    const over = play(broken, ...completes('free'));
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
    const next = broken.state.subtasks.find(({ id }) => id === 'next');
    expect(next?.error).toEqual({
      code: 'critical_path_failed',
      message: 'the critical subtask key failed',
    });
    const over = play(broken, ...completes('active').slice(1));
    expect(over.state.status).toBe('failed');
    expect(over.state.errors).toHaveLength(1);
  });

  it('puts everything a reader of the log needs into the last event', () => {
    const over = play(running(planOf('a')), ...completes('a'));
    expect(over.events.at(-1)).toEqual({
      type: 'task.completed',
      data: {
        verification: 'verified',
        summary: over.state.summary,
        files_changed: [],
        errors: [],
      },
    });
    expect(over.state.summary).toContain('[x] a: do a — did a');
  });
});
