import { emptyCourse, emptyTrail, packRecord, unpackRecord } from '@loom/shared/task-course';
import type { TaskState } from '@loom/shared/task-state';

/** A state as it comes back from the database: packed, written as JSON, read and unpacked. */
export function storedAndLoaded(state: TaskState): TaskState {
  const stored = JSON.stringify({
    ...state,
    course: packRecord(state.course, emptyCourse),
    subtasks: state.subtasks.map((subtask) => ({
      ...subtask,
      trail: packRecord(subtask.trail, emptyTrail),
    })),
  });
  const loaded = JSON.parse(stored) as TaskState;
  return {
    ...loaded,
    course: unpackRecord(loaded.course, emptyCourse),
    subtasks: loaded.subtasks.map((subtask) => ({
      ...subtask,
      trail: unpackRecord(subtask.trail, emptyTrail),
    })),
  };
}
