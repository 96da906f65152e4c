import { emptyCourse } from '@loom/shared/task-course';
import type { Remediation } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { summariseTask } from './summarise-task.ts';
import { freshTask, subtaskOf } from './test-support/task-fixtures.ts';

const itemOf = (subtask_id: string, fields: Partial<Remediation>): Remediation => ({
  id: `${subtask_id}-1`,
  subtask_id,
  strategy: 'unconfirmed_data',
  reason_code: 'unconfirmed_data',
  blocking: false,
  status: 'queued',
  attempts: 1,
  due_at: 0,
  expires_at: 0,
  terminal_reason: null,
  ...fields,
});

describe('summariseTask', () => {
  it('tells what was done, what was not and why, the files and the verification', () => {
    const summary = summariseTask(
      freshTask({
        status: 'failed',
        verification: 'partly_verified',
        files_changed: ['a.md', 'b.md'],
        errors: [{ code: 'tool_failed', message: 'no disk left', subtask_id: 'bad' }],
        subtasks: [
          subtaskOf('good', { status: 'completed', summary: 'wrote\n  a.md' }),
          subtaskOf('bad', {
            status: 'failed',
            summary: 'an older claim',
            error: { code: 'tool_failed', message: 'no disk left' },
          }),
          subtaskOf('held', {
            status: 'blocked',
            error: { code: 'blocked', message: 'waits for bad' },
          }),
        ],
      }),
    );
    expect(summary).toBe(
      [
        'Task failed: "build it"',
        '',
        'Subtasks:',
        '  [x] good: do good — wrote a.md',
        '  [!] bad: do bad — no disk left',
        '  [-] held: do held — waits for bad',
        '',
        'Files changed:',
        '  - a.md',
        '  - b.md',
        '',
        'Errors:',
        '  - no disk left',
        '',
        'Verification: partly_verified (some of the work could not be verified)',
      ].join('\n'),
    );
  });

  it('tells which tools were called how often', () => {
    const course = { ...emptyCourse, actions: { write_file: 3, shell_execute: 1 } };
    const summary = summariseTask(freshTask({ status: 'completed', course }));
    expect(summary.split('\n')).toContain('Actions: write_file ×3, shell_execute ×1');
  });

  it('shows what is in doubt, one line a call', () => {
    const in_doubt = [
      { key: 'k1', subtask_id: 'pay', tool: 'shell_execute', shown: 'curl -X POST /pay' },
      { key: 'k2', subtask_id: 'mail', tool: 'send', shown: '{"to":"x"}' },
    ];
    const course = { ...emptyCourse, in_doubt };
    expect(summariseTask(freshTask({ status: 'completed', course }))).toContain(
      [
        'In doubt (it is not known whether these calls took effect):',
        '  - pay: shell_execute curl -X POST /pay',
        '  - mail: send {"to":"x"}',
        '',
        'Verification',
      ].join('\n'),
    );
  });

  it('lists the follow-ups that are left, with their reason and how they ended', () => {
    const remediations = [
      itemOf('open', { status: 'expired', terminal_reason: 'the task ended' }),
      itemOf('found', { status: 'failed', terminal_reason: 'the price is another' }),
      itemOf('settled', { status: 'resolved', terminal_reason: 'confirmed' }),
      itemOf('broken', { status: 'failed', blocking: true, terminal_reason: 'no disk left' }),
      itemOf('saved', { status: 'failed', blocking: true, terminal_reason: 'no disk left' }),
    ];
    const summary = summariseTask(
      freshTask({
        status: 'failed',
        course: { ...emptyCourse, remediations },
        subtasks: remediations.map(({ subtask_id }) =>
          subtaskOf(subtask_id, { status: subtask_id === 'broken' ? 'failed' : 'completed' }),
        ),
      }),
    );
    expect(summary).toContain(
      [
        'Follow-ups:',
        '  - open: unconfirmed_data (open, the task ended)',
        '  - found: unconfirmed_data (open, the price is another)',
        '  - broken: unconfirmed_data (blocking, no disk left)',
        '',
        'Verification',
      ].join('\n'),
    );
  });

  it('leaves out what there is none of', () => {
    const summary = summariseTask(freshTask({ status: 'cancelled' }));
    expect(summary).toBe(
      'Task cancelled: "build it"\n\nVerification: unverified (the work was not verified)',
    );
  });

  it('shortens long texts, and never to half a character', () => {
    const summary = summariseTask(
      freshTask({
        status: 'completed',
        subtasks: [
          subtaskOf('a', { status: 'completed', summary: `${'x'.repeat(298)}😀 and so on` }),
        ],
      }),
    );
    expect(summary).toContain('xxx');
    expect(summary).not.toContain('and so on');
    expect(summary.isWellFormed()).toBe(true);
  });
});
