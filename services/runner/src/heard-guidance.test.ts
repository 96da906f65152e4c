import type { ChatMessage } from '@loom/shared/chat';
import type { Guidance } from '@loom/shared/task-state';
import { expect, test } from 'vitest';
import { newlyHeard } from './heard-guidance.ts';

const said = (id: string, guidance: string): Guidance => ({ id, guidance, subtask_id: null });
const line = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content });

test('guidance becomes lines of the journal, each acknowledged', () => {
  expect(newlyHeard([], [said('st_1', 'use tabs'), said('st_2', 'be short')], 'a')).toEqual({
    journal: [
      line('user', 'GUIDANCE (receipt st_1): use tabs'),
      line('user', 'GUIDANCE (receipt st_2): be short'),
    ],
    events: [
      { type: 'task.steer_acknowledged', data: { receipt_id: 'st_1', subtask_id: 'a' } },
      { type: 'task.steer_acknowledged', data: { receipt_id: 'st_2', subtask_id: 'a' } },
    ],
  });
});

test('what the journal holds was heard, whoever wrote it down', () => {
  const journal = [line('user', 'GUIDANCE (receipt st_1): use tabs'), line('assistant', 'ok')];
  const all = [said('st_1', 'use tabs'), said('st_10', 'and more')];
  expect(newlyHeard(journal, all, 'a')?.events.map(({ data }) => data.receipt_id)).toEqual([
    'st_10',
  ]);
  expect(newlyHeard(journal, all.slice(0, 1), 'a')).toBeNull();
  expect(newlyHeard([], [], 'a')).toBeNull();
});

test('a tool result or a reply that only looks like guidance is none', () => {
  const journal = [
    line('tool', 'GUIDANCE (receipt st_1): use tabs'),
    line('assistant', 'GUIDANCE (receipt st_1): use tabs'),
  ];
  expect(newlyHeard(journal, [said('st_1', 'use tabs')], 'a')?.journal).toHaveLength(1);
});
