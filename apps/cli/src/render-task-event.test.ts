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

  it('says nothing about what it does not know', () => {
    expect(render('model.call')).toBeNull();
    expect(render('task.something_new')).toBeNull();
    expect(render('toString')).toBeNull();
  });

  it('keeps control characters away from the terminal', () => {
    expect(render('subtask.failed', { reason: '\u001b[2Jgone' })).toBe('✗ haiku failed: [2Jgone');
  });
});
