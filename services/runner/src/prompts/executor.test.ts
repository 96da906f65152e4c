import type { AttemptBrief } from '@loom/db/load-attempt';
import { planSubtaskSchema } from '@loom/shared/plan';
import { expect, test } from 'vitest';
import { executorPrompt, executorPromptId, executorReminder } from './executor.ts';

function brief(overrides: Partial<AttemptBrief> = {}): AttemptBrief {
  return {
    task: { goal: 'Compare A and B', context: {}, workspace: '/w' },
    spec: planSubtaskSchema.parse({ id: 'write-a', description: 'Write a.md about A' }),
    feedback: null,
    error: null,
    tier: 1,
    model: null,
    summary: null,
    files_changed: [],
    started_at: new Date(0),
    calls: [],
    siblings: [],
    ...overrides,
  };
}

const sibling = (id: string, status: 'completed' | 'running', summary: string | null) => ({
  id,
  description: id,
  status,
  summary,
  deliverables: [`${id}.md`],
});

test('the smallest brief', () => {
  expect(executorPromptId).toBe('executor/1');
  expect(executorPrompt(brief())).toMatchInlineSnapshot(`
    [
      {
        "content": "You carry out one subtask of a larger task. Use the tools to do the work; do not only describe it.
    All paths are relative to the workspace. Do only your subtask: others take care of the rest.
    When it is done, answer in plain text without a tool call: what you did, which files you made or changed, and what you could not do. Claim nothing that you have not done; your result is checked against the files and the record of your calls.",
        "role": "system",
      },
      {
        "content": "TASK: Compare A and B

    SUBTASK:
    Write a.md about A
    END SUBTASK",
        "role": "user",
      },
    ]
  `);
});

test('a second attempt with everything that can be said', () => {
  const spec = planSubtaskSchema.parse({
    id: 'compare',
    description: 'Compare both',
    depends_on: ['a'],
    acceptance_criteria: ['names a winner'],
    deliverables: ['compare.md', 'table.csv'],
  });
  const siblings = [
    sibling('a', 'completed', 'A is described'),
    sibling('b', 'completed', 'not a dependency'),
    sibling('compare', 'running', null),
  ];
  const task = { goal: 'Compare A and B', context: { tone: 'dry' }, workspace: '/w' };
  const [, told] = executorPrompt(brief({ spec, siblings, task, feedback: 'table.csv is empty' }));
  expect(told?.content).toMatchInlineSnapshot(`
    "TASK: Compare A and B

    CONTEXT: {"tone":"dry"}

    SUBTASK:
    Compare both
    END SUBTASK

    ACCEPTANCE CRITERIA:
    - names a winner

    DELIVERABLES:
    - compare.md
    - table.csv

    INPUTS:
    - a.md

    RESULTS SO FAR:
    - a: A is described

    AN EARLIER ATTEMPT WAS NOT ACCEPTED:
    table.csv is empty
    Its files are still in the workspace. Correct them in place; make no copies."
  `);
});

test('a synthesis sees every result, others only those of their dependencies', () => {
  const siblings = [sibling('a', 'completed', null), sibling('b', 'running', 'half')];
  const synthesis = planSubtaskSchema.parse({ id: 's', description: 'sum up', is_synthesis: true });
  const [, whole] = executorPrompt(brief({ spec: synthesis, siblings }));
  expect(whole?.content).toContain('RESULTS SO FAR:\n- a: ');
  expect(whole?.content).not.toContain('- b:');
  const [, own] = executorPrompt(brief({ siblings }));
  expect(own?.content).not.toContain('RESULTS SO FAR');
});

test('a long result is shown by its beginning, cut between two characters', () => {
  const spec = planSubtaskSchema.parse({ id: 's', description: 'x', is_synthesis: true });
  const long = `x${'😀'.repeat(600)}`;
  const [, told] = executorPrompt(brief({ spec, siblings: [sibling('a', 'completed', long)] }));
  expect(told?.content.isWellFormed()).toBe(true);
  expect(told?.content.length).toBeLessThan(1_200);
});

test('the reminder names the goal and the subtask', () => {
  expect(executorReminder(brief())).toMatchInlineSnapshot(`
    {
      "content": "Goal of the task: Compare A and B
    Your subtask: write-a — Write a.md about A
    Go on with what remains of this subtask, and only of this one. When nothing remains, answer in plain text with a summary.",
      "role": "system",
    }
  `);
});
