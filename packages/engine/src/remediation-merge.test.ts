import type { SubtaskState } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { type Draft, findSubtask, openDraft } from './draft.ts';
import { queueRemediation } from './remediation.ts';
import {
  after,
  done,
  judged,
  pause,
  play,
  running,
  started,
  storyStart,
} from './test-support/play.ts';
import {
  freshTask,
  planOf,
  policyOf,
  specOf,
  statuses,
  subtaskOf,
  types,
} from './test-support/task-fixtures.ts';

const trouble = { strategy: 'evidence_gap', reason_code: 'no_source', blocking: false } as const;

function drafted(): Draft {
  const subtasks = ['a', 'b'].map((id) => subtaskOf(id, { status: 'completed', attempts: 1 }));
  return openDraft(freshTask({ subtasks }), { now: storyStart, scopes: [] });
}

function subtaskOfDraft(draft: Draft, id: string): SubtaskState {
  const found = findSubtask(draft, id);
  if (found === null) throw new Error(`there is no subtask ${id}`);
  return found;
}

describe('remediation items', () => {
  it('are merged on subtask, strategy and reason, and on nothing less', () => {
    const draft = drafted();
    const a = subtaskOfDraft(draft, 'a');
    queueRemediation(draft, a, trouble);
    queueRemediation(draft, a, trouble);
    expect(draft.state.course.remediations).toHaveLength(1);
    queueRemediation(draft, a, { ...trouble, strategy: 'generic' });
    queueRemediation(draft, a, { ...trouble, reason_code: 'no_quote' });
    queueRemediation(draft, subtaskOfDraft(draft, 'b'), trouble);
    const ids = draft.state.course.remediations.map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  it('become blocking when the trouble comes back as blocking, and stay so', () => {
    const draft = drafted();
    const a = subtaskOfDraft(draft, 'a');
    queueRemediation(draft, a, trouble);
    expect(a.status).toBe('completed');
    queueRemediation(draft, a, { ...trouble, blocking: true });
    expect(draft.state.course.remediations).toMatchObject([{ blocking: true, status: 'queued' }]);
    expect(a.status).toBe('pending');
    queueRemediation(draft, a, trouble);
    expect(draft.state.course.remediations).toMatchObject([{ blocking: true }]);
  });

  it('that block nothing expire alone: the result stands', () => {
    const plan = planOf(
      specOf('key', { is_critical_path: true }),
      specOf('next', { depends_on: ['key'] }),
    );
    const policy = policyOf({ critical_path_behavior: 'queue_follow_up' });
    const { state, last } = play(
      running(plan, { policy }),
      started('key'),
      done('key'),
      judged('key', 1, { outcome: 'partial_verified', reason_code: 'unconfirmed_data' }),
      started('next'),
      pause(),
      ...after(6 * 3_600),
    );
    expect(types(last.events)).toEqual(['remediation.expired']);
    expect(statuses(state)).toEqual({ key: 'completed', next: 'running' });
  });
});
