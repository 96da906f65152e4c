import { describe, expect, it } from 'vitest';
import { completes, planning, play, running, started, steer, stop } from '../test-support/play.ts';
import { nothingFor, planOf, specOf, types } from '../test-support/task-fixtures.ts';

const begun = running(planOf('a', specOf('b', { depends_on: ['a'] })));

describe('steering', () => {
  it('is kept with its receipt, answered by an event, and changes the plan of what has not begun', () => {
    const steered = play(begun, steer('write less'));
    const guidance = { id: 'str_1', guidance: 'write less', subtask_id: null };
    expect(steered.state.course.guidance).toEqual([guidance]);
    expect(steered.last.events[0]).toEqual({
      type: 'task.steered',
      data: { receipt_id: 'str_1', guidance: 'write less', subtask_id: null, by: 'key_1' },
    });
    expect(steered.state.course.replan).toMatchObject({ reason: 'steered', detail: 'write less' });
  });

  it('of one subtask reaches that subtask alone, and changes no plan', () => {
    const steered = play(begun, steer('write less', 'a'));
    expect(steered.state.course.guidance).toMatchObject([{ subtask_id: 'a' }]);
    expect(types(steered.last.events)).toEqual(['task.steered']);
  });

  it('changes no plan of which everything has begun', () => {
    const all = play(running(planOf('a')), started('a'), steer('write less'));
    expect(types(all.last.events)).toEqual(['task.steered']);
  });

  it('of a task that is being planned waits for the plan', () => {
    const steered = play(planning(), steer('write less'));
    expect(types(steered.last.events)).toEqual(['task.steered']);
    expect(steered.state.course.guidance).toHaveLength(1);
  });

  it('keeps the newest 50 pieces of guidance, in order', () => {
    const many = Array.from({ length: 60 }, (_, n) => steer(`${n}`, 'a'));
    const { guidance } = play(begun, ...many).state.course;
    expect(guidance.map((one) => Number(one.guidance))).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 10),
    );
  });

  it('after the end, or while the task is being cancelled, changes nothing', () => {
    const over = play(running(planOf('a')), ...completes('a'));
    const cancelled = play(begun, started('a'), stop('cancel'));
    for (const { state } of [over, cancelled]) {
      expect(play(state, steer('too late')).last).toEqual(nothingFor(state));
    }
  });
});
