import { describe, expect, it } from 'vitest';
import { summariseTask } from './summarise-task.ts';
import { freshTask, subtaskOf } from './test-support/task-fixtures.ts';

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
