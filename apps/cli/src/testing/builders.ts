import type { Session, Task } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';

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
    grants: {},
    budget: {},
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
    read_roots: [],
    context: {},
    metadata: {},
    plan_version: 1,
    subtasks: [],
    plans: [],
    remediations: [],
    approvals: [],
    budget: {},
    budget_used: {
      tokens: 1,
      cost_usd: 0,
      model_calls: 1,
      tool_calls: 1,
      mutating_tool_calls: 0,
      replans: 0,
      remediation_attempts: 0,
    },
    approval_mode: 'auto',
    callback_url: null,
    errors: [],
    summary: 'All done.',
    files_changed: [],
    created_at: at,
    started_at: at,
    ended_at: at,
    ...changes,
  };
}

export function anApproval(changes: Partial<Approval> = {}): Approval {
  return {
    id: 'apr_1',
    status: 'pending',
    kind: 'tool',
    tool: 'shell_execute',
    arguments: { command: 'rm -rf build' },
    reason: 'deletes recursively',
    session_id: null,
    turn_id: null,
    task_id: 'task_1',
    subtask_id: 'clean',
    requested_at: at,
    expires_at: at,
    decided_by: null,
    decided_at: null,
    decision_reason: null,
    ...changes,
  };
}
