import type { Session, Task } from '@loom/shared/api';

const at = '2026-01-01T00:00:00.000Z';

export function aSession(changes: Partial<Session> = {}): Session {
  return {
    id: 'ses_1',
    title: 'Rain',
    status: 'active',
    workspace: null,
    model: null,
    system_prompt: null,
    approval_mode: 'auto',
    state: {},
    message_count: 2,
    total_tokens: 10,
    created_at: at,
    updated_at: at,
    ended_at: null,
    ...changes,
  };
}

export function aTask(changes: Partial<Task> = {}): Task {
  return {
    id: 'task_1',
    goal: 'Write a haiku',
    status: 'completed',
    verification: 'verified',
    session_id: null,
    turn_id: null,
    workspace: null,
    context: {},
    metadata: {},
    plan_version: 1,
    subtasks: [],
    budget: {},
    budget_used: { tokens: 1, model_calls: 1, tool_calls: 1 },
    errors: [],
    summary: 'All done.',
    files_changed: [],
    created_at: at,
    started_at: at,
    ended_at: at,
    ...changes,
  };
}
