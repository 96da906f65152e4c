import { describe, expect, it } from 'vitest';
import {
  after,
  asks,
  completes,
  failed,
  play,
  running,
  started,
  stop,
  timePassed,
  wait,
} from '../test-support/play.ts';
import {
  nothingFor,
  planOf,
  policyOf,
  specOf,
  statuses,
  types,
} from '../test-support/task-fixtures.ts';

const limited = failed('b', 1, 'slow down', 'model_rate_limited');
const policy = policyOf({ approval: { timeout_seconds: 60 } });

describe('time that passes', () => {
  it('changes nothing where nothing is due', () => {
    const begun = running(planOf('a'));
    expect(play(begun, ...after(9_999)).last).toEqual(nothingFor(begun.state));
  });

  it('changes nothing after the end', () => {
    const over = play(running(planOf('a'), { limits: { max_seconds: 9 } }), ...completes('a'));
    expect(over.state.wake_at).toBeNull();
    expect(play(over, ...after(99)).last).toEqual(nothingFor(over.state));
  });

  it('is waited for until the first of all instants', () => {
    const busy = running(planOf('a', 'b'), { policy, limits: { max_seconds: 500 } });
    expect(busy.state.wake_at).toBe(busy.now + 500_000);
    const asking = play(busy, started('a'), asks('a'));
    expect(asking.state.wake_at).toBe(busy.now + 60_000);
    const waiting = play(asking, started('b'), limited);
    expect(waiting.state.wake_at).toBe(busy.now + 2_000);
    expect(play(waiting, ...after(2)).state.wake_at).toBe(busy.now + 60_000);
  });

  it('does everything that is due at once', () => {
    const two = running(planOf('a', 'b'), { policy });
    const waiting = play(two, started('a'), asks('a'), started('b'), limited);
    const late = play(waiting, ...after(100));
    expect(types(late.last.events)).toEqual(['approval.expired', 'subtask.queued']);
    expect(statuses(late.state)).toEqual({ a: 'awaiting_approval', b: 'queued' });
  });

  it('is noticed by any input: no instant is passed over because somebody else spoke first', () => {
    const asking = play(running(planOf('a', 'b'), { policy }), started('a'), asks('a'));
    const spoken = play(asking, wait(61), started('b'));
    expect(types(spoken.last.events)).toEqual(['approval.expired', 'subtask.started']);
    expect(spoken.state).toMatchObject({ wake_at: null, course: { approvals: [] } });
  });

  it('lets the end of a budget come before what would begin', () => {
    const both = running(planOf('a', specOf('b')), {
      limits: { max_seconds: 60 },
      max_parallel: 2,
    });
    const late = play(both, started('a'), started('b'), limited, ...after(100));
    expect(statuses(late.state).b).toBe('skipped');
    expect(late.last.units).toEqual([]);
  });

  it('leaves a task that is being cancelled its time to wrap up', () => {
    const wrapping = play(
      running(planOf('a'), { limits: { max_seconds: 9 } }),
      started('a'),
      stop('cancel'),
    );
    expect(play(wrapping, ...after(99)).state).toMatchObject({
      status: 'running',
      course: { exhausted: null },
    });
    expect(play(wrapping, timePassed).last.events).toEqual([]);
  });
});
