import { planSubtaskSchema } from '@loom/shared/plan';
import { emptyTrail } from '@loom/shared/task-course';
import { expect, test } from 'vitest';
import { attemptBrief as brief } from '../test-support/attempt-brief.ts';
import { executorPrompt, executorPromptId } from './executor.ts';

const sibling = (id: string, status: 'completed' | 'running', summary: string | null) => ({
  id,
  description: id,
  status,
  summary,
  deliverables: [`${id}.md`],
});

test('the smallest brief', () => {
  expect(executorPromptId).toBe('executor/3');
  expect(executorPrompt(brief(), 'off')).toMatchInlineSnapshot(`
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
  const task = {
    goal: 'Compare A and B',
    context: { tone: 'dry' },
    workspace: '/w',
    read_roots: ['/data/books'],
  };
  const [, told] = executorPrompt(
    brief({
      spec,
      siblings,
      task,
      feedback: 'table.csv is empty',
      error: { code: 'file_empty', message: 'table.csv is empty' },
      trail: { ...emptyTrail, strategy: 'evidence_gap', missing_targets: ['table.csv'] },
      files_changed_before: ['compare.md'],
      memory: [{ type: 'discovery', summary: 'B has no price', subtask_id: 'b' }],
    }),
    'enforce',
  );
  expect(told?.content).toMatchInlineSnapshot(`
    "TASK: Compare A and B

    CONTEXT: {"tone":"dry"}

    READABLE BESIDE THE WORKSPACE, by absolute path:
    - /data/books

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

    KNOWN FROM EARLIER WORK:
    - discovery: B has no price

    AN EARLIER ATTEMPT WAS NOT ACCEPTED:
    table.csv is empty
    Kind of failure: missing result (file_empty)
    Write the named files to exactly these paths, and check that they are there and not empty.

    WHAT IS MISSING:
    - table.csv

    HOW TO GO ABOUT IT: Evidence is missing. For each missing target find a source, or make what is missing; write down where it comes from, next to the claim. What you cannot find, say so instead of filling the gap.

    FILES ALREADY CHANGED by earlier attempts:
    - compare.md
    Correct them in place; make no copies and no second versions. The result belongs in the deliverables alone.

    HOW TO FINISH:
    Your last text, the one without a tool call, holds exactly one fenced block of this form:
    \`\`\`completion
    {"status": "done", "summary": "…", "deliverables": ["path"], "evidence": [], "discoveries": []}
    \`\`\`
    status: "done" when every criterion is met, "partial" when something is missing, "blocked" when you cannot go on.
    summary: what you did; if it is not done, what is missing and why. deliverables: the paths that you wrote. evidence: what shows that it is done. discoveries: what you found that the plan did not know."
  `);
});

test('the stable part comes first: it is the same for every attempt', () => {
  const [first] = executorPrompt(brief(), 'off');
  const [again] = executorPrompt(
    brief({ feedback: 'wrong', trail: { ...emptyTrail, confirmations: 1 } }),
    'off',
  );
  expect(again).toEqual(first);
});

test('a synthesis sees every result, others only those of their dependencies', () => {
  const siblings = [sibling('a', 'completed', null), sibling('b', 'running', 'half')];
  const synthesis = planSubtaskSchema.parse({ id: 's', description: 'sum up', is_synthesis: true });
  const [, whole] = executorPrompt(brief({ spec: synthesis, siblings }), 'off');
  expect(whole?.content).toContain('RESULTS SO FAR:\n- a: ');
  expect(whole?.content).not.toContain('- b:');
  const [, own] = executorPrompt(brief({ siblings }), 'off');
  expect(own?.content).not.toContain('RESULTS SO FAR');
});

test('a long result is shown by its beginning, cut between two characters', () => {
  const spec = planSubtaskSchema.parse({ id: 's', description: 'x', is_synthesis: true });
  const long = `x${'😀'.repeat(600)}`;
  const [, told] = executorPrompt(
    brief({ spec, siblings: [sibling('a', 'completed', long)] }),
    'off',
  );
  expect(told?.content.isWellFormed()).toBe(true);
  expect(told?.content.length).toBeLessThan(1_200);
});
