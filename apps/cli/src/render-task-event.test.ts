import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { renderTaskEvent } from './render-task-event.ts';
import type { StreamEvent } from './stream-event.ts';

const plain = picocolors.createColors(false);

function render(type: string, data: StreamEvent['data'] = {}, more: Partial<StreamEvent> = {}) {
  return renderTaskEvent({ type, data, subtask_id: 'haiku', ...more }, plain);
}

describe('renderTaskEvent', () => {
  it('shows a plan with what waits for what', () => {
    const subtasks = [
      { id: 'haiku', description: 'Write a haiku\nabout rain', depends_on: [] },
      { id: 'sum-up', description: 'Join them', depends_on: ['haiku'] },
    ];
    expect(render('task.plan_ready', { plan_version: 1, subtasks })).toBe(
      'plan 2 subtasks\n  ├ haiku   Write a haiku\n  └ sum-up  Join them (after haiku)',
    );
  });

  it('shows a subtask from its start to its verdict', () => {
    expect(render('subtask.started', {}, { attempt: 1 })).toBe('▸ haiku started');
    expect(render('subtask.started', {}, { attempt: 2 })).toBe('▸ haiku started (attempt 2)');
    const rejected = { outcome: 'fail', reason_code: 'empty_file', feedback: 'haiku.md is empty' };
    expect(render('verification.failed', rejected)).toBe(
      '✗ haiku not accepted (empty_file): haiku.md is empty',
    );
    expect(render('subtask.retrying', { next_attempt: 2 })).toBe('↻ haiku tries again (attempt 2)');
    expect(render('subtask.completed', { summary: 'Written.', verification: 'verified' })).toBe(
      '✓ haiku completed, verified: Written.',
    );
    expect(render('subtask.completed', { summary: '', outcome: 'pass_with_warnings' })).toBe(
      '✓ haiku completed, pass with warnings',
    );
    expect(render('subtask.failed', { reason: 'no model' })).toBe('✗ haiku failed: no model');
  });

  it('never calls an unverified end a success', () => {
    expect(render('task.completed', { verification: 'verified' })).toMatch(/^✓/);
    expect(render('task.completed', { verification: 'partly_verified' })).toBe(
      '! task completed, partly verified',
    );
    expect(render('task.failed', { verification: 'failed' })).toBe('✗ task failed');
  });

  it('shows what changed in a later plan, or why it was not taken', () => {
    expect(render('task.replanning', { reason: 'subtask_failed', detail: 'no rain' })).toBe(
      '↻ the plan is looked at again (subtask failed): no rain',
    );
    const subtasks = [
      { id: 'haiku', description: 'Write a haiku' },
      { id: 'tea', description: 'Write a limerick' },
      { id: 'old', description: 'As before' },
    ];
    const diff = { added: ['tea'], changed: ['haiku'], kept: ['old'] };
    const ready = { plan_version: 2, reason: 'subtask_failed', diff, subtasks };
    expect(render('task.plan_ready', ready)).toBe(
      [
        'plan 2 3 subtasks (subtask failed)',
        '  ├ ~ haiku  Write a haiku',
        '  ├ + tea    Write a limerick',
        '  └   old    As before',
      ].join('\n'),
    );
    const errors = [{ subtask_id: 'tea', code: 'dropped', message: 'must stay' }];
    expect(render('task.plan_rejected', { plan_version: 2, errors })).toBe(
      '! the new plan is not taken, the old one stands: tea: must stay',
    );
    expect(render('task.plan_rejected', { errors })).toBe('✗ the plan cannot run');
    expect(render('subtask.outcome_stale')).toMatch(/this result is put aside$/);
  });

  it('shows what people asked for, and how to let a paused task go on', () => {
    const task = { subtask_id: undefined, task_id: 'task_1' };
    expect(render('task.paused', { by: 'key_1', reason: 'request' }, task)).toBe(
      '‖ task paused; go on with: loom resume task_1',
    );
    expect(render('task.paused', { by: 'budget', reason: 'budget' }, task)).toBe(
      '‖ task paused until its budget is raised; go on with: loom resume task_1',
    );
    expect(render('task.resumed')).toBe('▸ task goes on');
    expect(render('subtask.paused')).toBe('‖ haiku paused');
    expect(render('subtask.resumed')).toBe('▸ haiku goes on');
    expect(render('task.steered', { guidance: 'shorter', subtask_id: null })).toBe(
      '» said to the task: shorter',
    );
    expect(render('task.steer_acknowledged', { receipt_id: 'r', subtask_id: 'haiku' })).toBe(
      '  haiku has heard it',
    );
    const blocked = [{ subtask_id: 'a', reason: 'waits for b' }];
    expect(render('task.stalled', { blocked })).toBe('! nothing can run: a waits for b');
  });

  it('shows a question with the command that answers it, and the answer', () => {
    const data = {
      approval_id: 'apr_1',
      kind: 'tool',
      tool: 'shell_execute',
      arguments: { command: 'rm -rf build' },
      reason: 'deletes recursively',
      expires_at: '2026-01-01T00:00:00.000Z',
    };
    expect(render('approval.requested', data)).toBe(
      '? haiku: shell_execute {"command":"rm -rf build"} (deletes recursively) (until 2026-01-01T00:00:00.000Z)\n' +
        '  answer with: loom approve apr_1   or   loom approve apr_1 --deny',
    );
    const budget = {
      approval_id: 'apr_2',
      kind: 'budget',
      tool: null,
      arguments: {},
      reason: 'More?',
    };
    expect(render('approval.requested', budget, { subtask_id: undefined })).toMatch(/^\? More\?\n/);
    expect(render('approval.decided', { status: 'denied', reason: 'no' })).toBe(
      '✗ haiku: denied: no',
    );
    expect(render('approval.decided', { status: 'approved', reason: null })).toBe(
      '✓ haiku: approved',
    );
    expect(render('approval.expired', { reason: 'nobody answered in time' })).toBe(
      '! haiku: the question is off the table: nobody answered in time',
    );
  });

  it('shows what long calls print, what is kept, and what is not done twice', () => {
    const call = { tool: 'shell_execute', call_id: 'c', key: 'k' };
    expect(render('tool.progress', { ...call, text: 'one\ntwo\n' })).toBe('  haiku: two');
    expect(render('tool.progress', { ...call, text: '\n' })).toBeNull();
    const kept = { ref: 'af_1', name: 'page.pdf', kind: 'pdf', size: 12 };
    expect(render('artifact.stored', { ...call, ...kept })).toBe(
      '  haiku: kept page.pdf as af_1 (12 bytes)',
    );
    expect(render('tool.deduplicated', { ...call, earlier_key: 'e', status: 'done' })).toBe(
      '  haiku: shell_execute was done by an earlier attempt, so not again',
    );
    expect(render('completion.missing', { reason: 'no block' })).toBe(
      '! haiku ended without its completion block: no block',
    );
  });

  it('shows spent budgets, waiting for a model, and repairs', () => {
    const spent = { budget: 'max_tool_calls', scope: 'session', used: 5, limit: 5 };
    expect(render('task.budget_exhausted', spent)).toBe(
      "! the session's budget is spent: tool calls, 5 of 5",
    );
    expect(render('model.parked', { seconds: 30, reason: 'rate limited' })).toBe(
      '◌ haiku waits for the model, asks again in 30 s: rate limited',
    );
    const turn = { subtask_id: undefined, turn_id: 'turn_1' };
    expect(render('turn.parked', { seconds: 240 }, turn)).toBe(
      '◌ turn waits for the model, asks again in 4 min',
    );
    const item = { blocking: true, reason_code: 'evidence_gap', due_at: 'noon' };
    expect(render('remediation.queued', item)).toBe(
      '↻ haiku must be set right (evidence gap, due noon)',
    );
    expect(render('remediation.attempted', { number: 2 })).toBe('↻ haiku: setting right, try 2');
    expect(render('remediation.resolved')).toBe('✓ haiku was set right');
    expect(render('remediation.expired', { reason: 'too late' })).toBe(
      '✗ haiku was not set right in time: too late',
    );
  });

  it('says nothing about what it does not know', () => {
    expect(render('model.call')).toBeNull();
    expect(render('task.something_new')).toBeNull();
    expect(render('toString')).toBeNull();
  });

  it('keeps control characters away from the terminal', () => {
    expect(render('subtask.failed', { reason: '\u001b[2Jgone' })).toBe('✗ haiku failed: [2Jgone');
  });
});
