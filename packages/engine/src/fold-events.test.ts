import { describe, expect, it } from 'vitest';
import { compareReplay, foldEvents, replayableState } from './fold-events.ts';
import {
  answers,
  asks,
  breaks,
  completes,
  done,
  judged,
  pause,
  planMade,
  planUnavailable,
  play,
  resume,
  retry,
  running,
  skip,
  started,
  stop,
} from './test-support/play.ts';
import { planOf, specOf, types } from './test-support/task-fixtures.ts';

const plan = planOf(
  specOf('a', { max_retries: 1 }),
  specOf('b', { depends_on: ['a'] }),
  specOf('c', { max_retries: 0 }),
);

describe('foldEvents', () => {
  it('is a queued task when nothing was logged', () => {
    expect(foldEvents([])).toEqual({
      status: 'queued',
      verification: 'unverified',
      plan_version: 0,
      subtasks: [],
    });
  });

  it('gives the stored state of a task that retried, failed and was taken up again', () => {
    const ended = play(
      running(plan),
      ...breaks('a', 1),
      ...completes('c'),
      ...breaks('a', 2),
      planUnavailable(),
    );
    expect(foldEvents(ended.events)).toEqual({
      status: 'failed',
      verification: 'partly_verified',
      plan_version: 1,
      subtasks: [
        { id: 'a', status: 'failed', attempts: 2 },
        { id: 'b', status: 'blocked', attempts: 0 },
        { id: 'c', status: 'completed', attempts: 1 },
      ],
    });
    const again = play(ended, retry());
    expect(foldEvents(again.events)).toEqual(replayableState(again.state));
    expect(foldEvents(again.events)).toMatchObject({
      status: 'running',
      verification: 'unverified',
    });
    const over = play(again, ...completes('a', 3), ...completes('b'));
    expect(foldEvents(over.events)).toEqual(replayableState(over.state));
    expect(foldEvents(over.events)).toMatchObject({
      status: 'completed',
      verification: 'verified',
    });
  });

  it('gives the stored state of a stopped task', () => {
    const over = play(running(plan), stop('abort'));
    expect(foldEvents(over.events)).toEqual(replayableState(over.state));
    expect(foldEvents(over.events).status).toBe('cancelled');
  });

  it('gives the stored state at each step of pauses, questions, skips and new plans', () => {
    const inputs = [
      pause(),
      resume(),
      started('a'),
      asks('a'),
      pause('c'),
      resume('c'),
      skip('c'),
      answers(1, 'approve'),
      started('a'),
      done('a'),
      judged('a', 1, {}, { tier1_ratio: 0 }),
      pause(),
      answers(2, 'deny'),
      resume(),
      ...breaks('a', 2),
      planMade(planOf(...plan.subtasks, 'd')),
      ...completes('a', 3),
      ...completes('b'),
      ...completes('d'),
    ];
    let story = running(plan);
    for (const input of inputs) {
      story = play(story, input);
      expect(foldEvents(story.events), input.kind).toEqual(replayableState(story.state));
    }
    expect(foldEvents(story.events)).toMatchObject({ status: 'failed', plan_version: 2 });
    expect(types(story.events)).toContain('task.confirmation_required');
  });

  it('does not mistake a subtask verification for the task verification', () => {
    const half = play(running(plan), ...completes('c'));
    expect(half.events.at(-1)?.data).toMatchObject({ verification: 'verified' });
    expect(foldEvents(half.events).verification).toBe('unverified');
  });
});

describe('compareReplay', () => {
  const stored = replayableState(running(plan).state);

  it('finds nothing where log and state agree', () => {
    expect(compareReplay(foldEvents(running(plan).events), stored)).toEqual([]);
  });

  it('puts every difference into words', () => {
    const folded = {
      status: 'failed' as const,
      verification: 'failed' as const,
      plan_version: 2,
      subtasks: [
        { id: 'a', status: 'running' as const, attempts: 1 },
        { id: 'b', status: 'pending' as const, attempts: 3 },
        { id: 'x', status: 'pending' as const, attempts: 0 },
      ],
    };
    expect(compareReplay(folded, stored)).toEqual([
      'status: the log says failed, the state running',
      'verification: the log says failed, the state unverified',
      'plan_version: the log says 2, the state 1',
      'subtask a: the log says running after 1 attempts, the state queued after 1',
      'subtask b: the log says pending after 3 attempts, the state pending after 0',
      'subtask c: not in the log',
      'subtask x: only in the log',
    ]);
  });
});
