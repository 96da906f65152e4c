import { describe, expect, it } from 'vitest';
import {
  after,
  answers,
  asks,
  breaks,
  completes,
  done,
  judged,
  pause,
  planning,
  planningStarted,
  play,
  resume,
  running,
  started,
  stop,
  verificationStarted,
} from '../test-support/play.ts';
import {
  nothingFor,
  planOf,
  specOf,
  statuses,
  subtaskIn,
  types,
} from '../test-support/task-fixtures.ts';

const plan = planOf('a', 'b', specOf('c', { depends_on: ['a'] }));
const begun = running(plan);
const ended = play(running(planOf('a')), ...completes('a'));

describe('pausing a task', () => {
  const paused = play(begun, started('a'), pause());

  it('is answered by an event and shown', () => {
    expect(paused.state.status).toBe('paused');
    expect(paused.last.events).toEqual([
      { type: 'task.paused', data: { by: 'key_1', reason: 'request' } },
    ]);
  });

  it('starts nothing new', () => {
    const after = play(paused, done('a'), judged('a'));
    expect(statuses(after.state)).toEqual({ a: 'completed', b: 'queued', c: 'pending' });
    expect(after.state.status).toBe('paused');
    expect(play(paused, started('b')).last).toEqual(nothingFor(paused.state));
  });

  it('keeps what is taken up from going on: attempts, verifications, planners', () => {
    expect(play(paused, started('a', 1, true)).last).toEqual(nothingFor(paused.state));
    const verifying = play(begun, started('a'), done('a'), pause());
    expect(play(verifying, verificationStarted('a')).last).toEqual(nothingFor(verifying.state));
    const planner = play(planning(), pause());
    expect(play(planner, planningStarted()).last).toEqual(nothingFor(planner.state));
  });

  it('twice, while it is being cancelled, or after the end changes nothing', () => {
    const cancelled = play(begun, started('a'), stop('cancel'));
    for (const { state } of [paused, cancelled, ended]) {
      expect(play(state, pause()).last).toEqual(nothingFor(state));
    }
  });

  it('does not keep it from its end when nothing is left to do', () => {
    const last = play(running(planOf('a')), started('a'), done('a'), pause(), judged('a'));
    expect(last.state).toMatchObject({ status: 'completed', course: { paused: null } });
  });

  it('does not keep questions from running out', () => {
    const asked = play(begun, started('a'), asks('a'), pause(), ...after(3_600));
    expect(asked.state.course.approvals).toEqual([]);
    expect(asked.last.wake.attempts).toEqual([{ subtask_id: 'a', attempt: 1 }]);
  });
});

describe('resuming a task', () => {
  it('starts what could have started meanwhile, and wakes what waits', () => {
    const paused = play(begun, started('a'), pause(), done('a'), judged('a'));
    const onward = play(paused, resume());
    expect(onward.state.status).toBe('running');
    expect(statuses(onward.state).c).toBe('queued');
    expect(onward.last.wake).toEqual({ paused: true, attempts: [] });
    expect(onward.last.events[0]).toEqual({
      type: 'task.resumed',
      data: { by: 'key_1', status: 'running' },
    });
  });

  it('says what the task is called from here on', () => {
    const asking = play(running(planOf('a')), started('a'), asks('a'), pause());
    expect(asking.state.status).toBe('paused');
    expect(play(asking, resume()).state.status).toBe('awaiting_confirmation');
  });

  it('that is not paused, or over, changes nothing', () => {
    const cancelled = play(begun, started('a'), stop('cancel'));
    for (const { state } of [begun, cancelled, ended]) {
      expect(play(state, resume()).last).toEqual(nothingFor(state));
    }
  });
});

describe('pausing one subtask', () => {
  it('keeps it from starting, and the others go on', () => {
    const held = play(begun, pause('c'), ...completes('a'));
    expect(statuses(held.state)).toEqual({ a: 'completed', b: 'queued', c: 'pending' });
    expect(types(held.events)).toContain('subtask.paused');
    const rest = play(held, ...completes('b'));
    expect(rest.state.status).toBe('running');
    expect(rest.last.events.map(({ type }) => type)).not.toContain('task.stalled');
    expect(statuses(play(rest, resume('c')).state).c).toBe('queued');
  });

  it('keeps its attempt from going on, wherever it is', () => {
    const held = play(begun, started('a'), pause('a'));
    expect(play(held, started('a', 1, true)).last).toEqual(nothingFor(held.state));
    const verifying = play(held, done('a'));
    expect(play(verifying, verificationStarted('a')).last).toEqual(nothingFor(verifying.state));
    const onward = play(verifying, resume('a'));
    expect(onward.last.wake.attempts).toEqual([{ subtask_id: 'a', attempt: 1 }]);
    expect(onward.last.events).toMatchObject([
      { type: 'subtask.resumed', subtask_id: 'a', data: { by: 'key_1' } },
    ]);
  });

  it('twice, of an ended or an unknown subtask, changes nothing', () => {
    const held = play(begun, ...completes('a'), pause('b'));
    for (const id of ['b', 'a', 'ghost']) {
      expect(play(held, pause(id)).last).toEqual(nothingFor(held.state));
    }
    expect(play(ended, pause('a')).last).toEqual(nothingFor(ended.state));
  });

  it('resumed twice, or never paused, changes nothing', () => {
    expect(play(begun, resume('a')).last).toEqual(nothingFor(begun.state));
    expect(play(begun, resume('ghost')).last).toEqual(nothingFor(begun.state));
  });

  it('does not wake it while a person has yet to answer for it', () => {
    const asking = play(begun, started('a'), asks('a'), pause('a'));
    const onward = play(asking, resume('a'));
    expect(onward.last.wake.attempts).toEqual([]);
    expect(play(onward, answers(1, 'approve')).last.wake.attempts).toHaveLength(1);
  });

  it('outlasts a retry and a pause of the task, and ends with the subtask', () => {
    const retried = play(begun, started('a'), pause('a'), ...breaks('a').slice(1));
    expect(statuses(retried.state).a).toBe('pending');
    expect(statuses(play(retried, pause(), resume()).state).a).toBe('pending');
    const completed = play(begun, started('a'), done('a'), pause('a'), judged('a'));
    expect(subtaskIn(completed.state, 'a').trail.held).toBe(false);
  });
});
