import { describe, expect, it } from 'vitest';
import { emptyCourse, emptyTrail, packRecord, unpackRecord } from './task-course.ts';
import type { SubtaskTrail, TaskCourse } from './task-state.ts';

const busyCourse: TaskCourse = {
  paused: { by: 'key_1', reason: 'request', exhaustion: null },
  replan: { reason: 'discovery', detail: 'found it', next: null },
  replans: 1,
  extra_versions: 1,
  plan_is_final: true,
  stall_recoveries: 2,
  completions: 3,
  guidance: [{ id: 'str_1', guidance: 'be brief', subtask_id: null }],
  discoveries: [{ subtask_id: 'a', summary: 'found it' }],
  in_doubt: [{ key: 'k1', subtask_id: 'a', tool: 'send', shown: 'a letter' }],
  remediations: [],
  remediation_attempts: 1,
  approvals: [],
  approvals_asked: 4,
  allowed_tools: ['write_file'],
  holds: { 'subtasks/a/1': { model_calls: 1, tool_calls: 0, mutating_tool_calls: 0 } },
  exhausted: { budget: 'max_tokens', scope: 'task', used: 2, limit: 1 },
  deadline: 17,
  actions: { write_file: 2 },
};

const busyTrail: SubtaskTrail = {
  signatures: ['tool_failed: it broke'],
  failed_before: 'tool_failed: it broke',
  strategy: 'generic',
  missing_targets: ['sources'],
  confirmations: 1,
  verification_round: 2,
  not_before: 17,
  held: true,
  superseded: true,
  seen_by_person: true,
};

/** As a column of type jsonb gives it back. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('packRecord', () => {
  it('leaves nothing of a record to which nothing happened', () => {
    expect(packRecord(emptyCourse, emptyCourse)).toBeNull();
    expect(
      packRecord({ ...emptyTrail, signatures: [], missing_targets: [] }, emptyTrail),
    ).toBeNull();
    expect(packRecord(stored(emptyCourse), emptyCourse)).toBeNull();
  });

  it('keeps what differs, and that alone', () => {
    const course = { ...emptyCourse, replans: 1, holds: {}, allowed_tools: ['write_file'] };
    expect(packRecord(course, emptyCourse)).toEqual({ replans: 1, allowed_tools: ['write_file'] });
  });

  it('knows a changed value from an empty one, whatever the kind', () => {
    const kept = packRecord(busyCourse, emptyCourse) ?? {};
    const { remediations: _, approvals: __, ...changed } = busyCourse;
    expect(kept).toEqual(changed);
    expect(packRecord(busyTrail, emptyTrail)).toEqual(busyTrail);
  });
});

describe('unpackRecord', () => {
  it.each([
    ['an empty course', emptyCourse],
    ['a busy course', busyCourse],
    ['a course that is back to nothing', { ...busyCourse, ...emptyCourse }],
  ])('gives back what was packed: %s', (_, course) => {
    expect(unpackRecord(stored(packRecord(course, emptyCourse)), emptyCourse)).toEqual(course);
  });

  it('gives back a trail', () => {
    for (const trail of [emptyTrail, busyTrail, { ...emptyTrail, held: true }]) {
      expect(unpackRecord(stored(packRecord(trail, emptyTrail)), emptyTrail)).toEqual(trail);
    }
  });

  it('completes what was stored before a field existed', () => {
    expect(unpackRecord({ replans: 2 }, emptyCourse)).toEqual({ ...emptyCourse, replans: 2 });
  });
});

it('nobody can spoil the empty records for the others', () => {
  expect(Object.isFrozen(emptyCourse)).toBe(true);
  expect(Object.isFrozen(emptyTrail)).toBe(true);
});
