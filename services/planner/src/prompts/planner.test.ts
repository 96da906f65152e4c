import { expect, test } from 'vitest';
import { planFeedback, plannerPrompt, plannerPromptId } from './planner.ts';

test('a goal with what the conversation decided about it', () => {
  expect(plannerPromptId).toBe('planner/1');
  const context = { decisions: ['use SQLite'], style: 'short' };
  expect(
    plannerPrompt({ goal: 'Write a.md\nand b.md', context, workspace: '/w' }),
  ).toMatchInlineSnapshot(`
    [
      {
        "content": "You are the planner. You break a goal into a graph of subtasks that workers carry out in parallel, each with tools for files and commands and with no knowledge of each other.
    Answer with one JSON object and nothing else:
    {"subtasks": [{"id": "short-slug", "description": "what to do, complete in itself", "depends_on": [], "model_tier": 1, "verification_tier": 1, "is_critical_path": false, "is_synthesis": false, "max_retries": 3, "acceptance_criteria": ["…"], "deliverables": ["path/in/workspace"], "checks": ["a command that must succeed"]}]}
    Only id and description are required.
    - Make subtasks independent wherever the work allows it; use depends_on only for real needs.
    - Name every file a subtask makes in deliverables. No two subtasks write the same file unless one depends on the other.
    - model_tier: 1 simple, 2 medium, 3 hard. verification_tier: 1 when files, syntax and commands tell enough; 2 when the content must be judged.
    - A synthesis (is_synthesis) brings results together at the very end; nothing depends on it, and there is at most one.
    - As few subtasks as the goal needs.",
        "role": "system",
      },
      {
        "content": "GOAL:
    Write a.md
    and b.md
    END GOAL

    CONTEXT:
    {
      "decisions": [
        "use SQLite"
      ],
      "style": "short"
    }",
        "role": "user",
      },
    ]
  `);
});

test('a goal alone has no context section', () => {
  const [, told] = plannerPrompt({ goal: 'Write a.md', context: {}, workspace: null });
  expect(told?.content).toBe('GOAL:\nWrite a.md\nEND GOAL');
});

test('feedback names what is wrong with each subtask', () => {
  expect(
    planFeedback([
      {
        subtask_id: 'b',
        code: 'unknown_dependency',
        message: 'depends on "c", which is not there',
      },
      { subtask_id: 'plan', code: 'malformed', message: 'too small' },
    ]),
  ).toMatchInlineSnapshot(`
    {
      "content": "The plan cannot run:
    - b: depends on "c", which is not there
    - plan: too small
    Answer again with the whole corrected JSON object.",
      "role": "user",
    }
  `);
});

test('feedback on an answer that cannot be read', () => {
  expect(planFeedback(null)).toMatchInlineSnapshot(`
    {
      "content": "Your answer holds no JSON object with "subtasks" that can be read.
    Answer again with the whole corrected JSON object.",
      "role": "user",
    }
  `);
});
