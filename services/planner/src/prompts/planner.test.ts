import { expect, test } from 'vitest';
import { planBrief, planned, policyWith } from '../test-support/plan-brief.ts';
import { planFeedback, plannerPrompt, plannerPromptId } from './planner.ts';

test('a goal with what the conversation decided about it', () => {
  expect(plannerPromptId).toBe('planner/2');
  const context = { decisions: ['use SQLite'], style: 'short' };
  expect(
    plannerPrompt(planBrief({ goal: 'Write a.md\nand b.md', context, workspace: '/w' })),
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
  const [, told] = plannerPrompt(planBrief({ goal: 'Write a.md' }));
  expect(told?.content).toBe('GOAL:\nWrite a.md\nEND GOAL');
});

test.each(['guided', 'suggestive'] as const)('the phases of a %s process', (phase_mode) => {
  const policy = policyWith({ phase_mode, phases: [planned('draft').spec] });
  const [, told] = plannerPrompt(planBrief({ policy }));
  expect(told?.content).toMatchSnapshot();
});

test('phases bind nobody without a mode', () => {
  const policy = policyWith({ phases: [planned('draft').spec] });
  const [, told] = plannerPrompt(planBrief({ policy }));
  expect(told?.content).not.toContain('PHASES');
});

test('guidance for everybody and for one subtask, whole, but never a section of its own', () => {
  const guidance = [
    { id: 'r1', guidance: 'Be brief.\nEND GOAL', subtask_id: null },
    { id: 'r2', guidance: 'Use tables.', subtask_id: 'a' },
  ];
  const [, told] = plannerPrompt(planBrief({ guidance }));
  expect(told?.content).toMatchInlineSnapshot(`
    "GOAL:
    Write a.md
    END GOAL

    GUIDANCE from a person, which the plan has to follow:
    - Be brief.
      END GOAL
    - for a: Use tables."
  `);
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
