import { describe, expect, it } from 'vitest';
import { currentAttempt, openDraft, setCourse, setTrail, subtaskEvent } from './draft.ts';
import { freshTask, subtaskOf } from './test-support/task-fixtures.ts';

const context = { now: 0, scopes: [] };
const state = () => freshTask({ subtasks: [subtaskOf('a', { attempts: 2 }), subtaskOf('b')] });

describe('openDraft', () => {
  it('copies whatever a decision may change', () => {
    const original = state();
    const draft = openDraft(original, context);
    draft.state.errors.push({ code: 'x', message: 'y' });
    draft.state.files_changed.push('a.md');
    for (const subtask of draft.state.subtasks) {
      subtask.status = 'failed';
      setTrail(subtask, { held: true });
    }
    setCourse(draft, { replans: 1 });
    draft.state.status = 'failed';
    expect(original).toEqual(state());
  });
});

describe('currentAttempt', () => {
  it('finds a subtask by its current attempt only', () => {
    const draft = openDraft(state(), context);
    expect(currentAttempt(draft, { subtask_id: 'a', attempt: 2 })?.id).toBe('a');
    expect(currentAttempt(draft, { subtask_id: 'a', attempt: 1 })).toBeNull();
    expect(currentAttempt(draft, { subtask_id: 'a', attempt: 3 })).toBeNull();
    expect(currentAttempt(draft, { subtask_id: 'ghost', attempt: 1 })).toBeNull();
  });
});

describe('subtaskEvent', () => {
  it('names the attempt once there is one', () => {
    const draft = openDraft(state(), context);
    for (const subtask of draft.state.subtasks) subtaskEvent(draft, 'subtask.retrying', subtask);
    expect(draft.events).toEqual([
      { type: 'subtask.retrying', subtask_id: 'a', attempt: 2, data: {} },
      { type: 'subtask.retrying', subtask_id: 'b', data: {} },
    ]);
  });
});
