import { describe, expect, it } from 'vitest';
import {
  answers,
  asks,
  completes,
  done,
  failed,
  judged,
  pause,
  planning,
  play,
  replan,
  resume,
  running,
  started,
} from './test-support/play.ts';
import { freshTask, planOf, policyOf, types } from './test-support/task-fixtures.ts';

const begun = running(planOf('a', 'b'));
const asking = play(begun, started('a'), asks('a'));

describe('what a task is called', () => {
  it.each([
    ['queued', play(freshTask(), { kind: 'created', plan: null })],
    ['planning', planning()],
    ['running', begun],
    ['running', asking],
    ['paused', play(begun, pause())],
    ['paused', play(planning(), pause())],
    ['completed', play(begun, ...completes('a'), ...completes('b'))],
  ])('%s', (status, { state }) => {
    expect(state.status).toBe(status);
  });

  it('awaits confirmation only when that is all it waits for', () => {
    const alone = play(asking, ...completes('b'));
    expect(alone.state.status).toBe('awaiting_confirmation');
    expect(types(alone.last.events).at(-1)).toBe('task.confirmation_required');
    const answered = play(alone, answers(1, 'approve'));
    expect(answered.state.status).toBe('running');
    expect(answered.last.events.at(-1)).toEqual({
      type: 'task.confirmation_received',
      data: { status: 'running' },
    });
  });

  it('runs while a planner, a retry or a paused subtask is still to come', () => {
    const alone = play(asking, ...completes('b'));
    expect(play(alone, replan()).state.status).toBe('running');
    const waits = play(asking, started('b'), failed('b', 1, 'slow', 'model_rate_limited'));
    expect(waits.state.status).toBe('running');
    const held = play(asking, pause('b'), started('b'));
    expect(held.state.status).toBe('running');
  });

  it('is paused although a person is asked, and says what it is when it goes on', () => {
    const alone = play(asking, ...completes('b'));
    const paused = play(alone, pause());
    expect(paused.state.status).toBe('paused');
    expect(play(paused, resume()).state.status).toBe('awaiting_confirmation');
  });

  it('awaits confirmation of a result like that of a tool', () => {
    const manual = policyOf({ approval: { mode: 'manual' } });
    const judging = play(running(planOf('a'), { policy: manual }), started('a'), done('a'));
    expect(play(judging, judged('a')).state.status).toBe('awaiting_confirmation');
  });
});
