import type { Todo } from '@loom/shared/todo';

/** A pending todo with this number in its id, and whatever else is of interest. */
export function sampleTodo(number: number, fields: Partial<Todo> = {}): Todo {
  return {
    id: `todo_${String(number).padStart(26, '0')}`,
    turn_id: 'turn_1',
    title: `step ${number}`,
    context: '',
    completion_criteria: '',
    agent_type: '',
    status: 'pending',
    priority: number - 1,
    outcome: '',
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: null,
    completed_at: null,
    ...fields,
  };
}
