import type { Verdict } from '@loom/shared/verdict';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { TaskView } from '../state/task-view.ts';
import { TaskCard } from './task-card.tsx';

const passed = { outcome: 'pass', feedback: 'both are there' } as Verdict;
const failed = { outcome: 'fail', feedback: 'the file is empty' } as Verdict;

function draw(rest: Partial<TaskView>): string {
  const task = {
    id: 'task_1',
    goal: 'two notes',
    status: 'running',
    verification: 'unverified',
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: null,
    errors: [],
    files_changed: ['notes/a.md'],
    budget_used: { tokens: 1, model_calls: 2, tool_calls: 3 },
    is_stopping: false,
    activity: { a: 'read_file x.md', b: 'write_file b.md' },
    subtasks: [
      {
        id: 'a',
        description: 'note a',
        status: 'completed',
        attempts: [{ number: 1, verdict: passed }],
      },
      {
        id: 'b',
        description: 'note b',
        status: 'running',
        attempts: [{ number: 1, verdict: failed }, { number: 2 }],
      },
    ],
    ...rest,
  } as unknown as TaskView;
  const card = createElement(TaskCard, {
    task,
    approvals: [],
    startsOpen: true,
    onNeeded: () => {},
    onApproval: () => {},
  });
  return renderToStaticMarkup(
    createElement(QueryClientProvider, { client: new QueryClient() }, card),
  );
}

describe('TaskCard', () => {
  it('shows every subtask with its status, its attempts and its verdict', () => {
    const html = draw({});
    expect(html.match(/data-testid="subtask-row" data-status="\w+"/g)).toEqual([
      'data-testid="subtask-row" data-status="completed"',
      'data-testid="subtask-row" data-status="running"',
    ]);
    expect(html).toContain('1 of 2 steps');
    expect(html).toContain('write_file b.md');
    expect(html, 'only what runs is at something').not.toContain('read_file x.md');
    expect(html).toContain('attempt 2');
    expect(html).toContain('data-outcome="pass" title="both are there"');
    expect(html, 'a retry is not judged by the attempt before it').not.toContain('fail');
  });

  it('can be cancelled while it runs, and shows its verification once it is over', () => {
    const running = draw({});
    expect(running).toContain('data-testid="cancel"');
    expect(running).not.toContain('data-testid="verification"');
    const over = draw({
      status: 'completed',
      verification: 'partly_verified',
      ended_at: '2026-01-01T00:01:05.000Z',
    });
    expect(over).not.toContain('data-testid="cancel"');
    expect(over).toContain('data-verification="partly_verified"');
    expect(over).toContain('1 min 5 s');
    expect(over).toContain('notes/a.md');
  });
});
