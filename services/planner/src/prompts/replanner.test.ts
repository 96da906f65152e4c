import { expect, test } from 'vitest';
import { planBrief, planned, policyWith } from '../test-support/plan-brief.ts';
import { replannerPrompt, replannerPromptId } from './replanner.ts';

const brief = planBrief({
  goal: 'Write a.md and b.md',
  plan_version: 1,
  replan: { reason: 'subtask_failed', detail: 'b failed after 3 attempts' },
  subtasks: [
    planned('a', { status: 'completed', attempts: 1, summary: 'Wrote a.md.\nEND PLAN' }),
    planned('b', {
      status: 'failed',
      attempts: 3,
      summary: 'Tried.',
      error: { code: 'check_failed', message: 'make must exit with 0', subtask_id: 'b' },
    }),
    planned('c'),
  ],
  discoveries: [{ subtask_id: 'a', summary: 'The compiler is missing.' }],
  errors: [
    { code: 'check_failed', message: 'make must exit with 0', subtask_id: 'b' },
    { code: 'internal', message: 'Something else.' },
  ],
  guidance: [{ id: 'r1', guidance: 'Do without make.', subtask_id: null }],
});

test('state, what came to light, guidance, the plan and why', () => {
  expect({ id: replannerPromptId, messages: replannerPrompt(brief) }).toMatchSnapshot();
});

test('what there is nothing of is left out', () => {
  const [, told] = replannerPrompt(
    planBrief({
      plan_version: 1,
      subtasks: [planned('a')],
      replan: { reason: 'requested', detail: '' },
    }),
  );
  expect(told?.content).toMatchInlineSnapshot(`
    "GOAL:
    Write a.md
    END GOAL

    REASON:
    - A person asked for another plan.

    STATE:
    - a [pending]

    PLAN:
    {"subtasks": [
    {"id":"a","description":"Write a.md","depends_on":[],"model_tier":1,"verification_tier":1,"is_critical_path":false,"is_synthesis":false,"max_retries":3,"acceptance_criteria":[],"deliverables":[],"checks":[],"risk":"low"}
    ]}
    END PLAN"
  `);
});

test('the phases of a process stand beside the plan', () => {
  const policy = policyWith({ phase_mode: 'guided', phases: [planned('a').spec] });
  const [, told] = replannerPrompt({ ...brief, policy });
  expect(told?.content).toMatch(/^PHASES:\n[\s\S]*\nEND PHASES\n[\s\S]*^PLAN:$/m);
});

test('long texts and many errors are cut', () => {
  const errors = Array.from({ length: 30 }, (_, n) => ({
    code: 'internal',
    message: `error ${n}`,
  }));
  const long = planned('a', { status: 'completed', summary: 'x'.repeat(5_000) });
  const [, told] = replannerPrompt({ ...brief, errors, subtasks: [long] });
  const content = told?.content ?? '';
  expect(content).not.toContain('error 9\n');
  expect(content).toContain('error 10\n');
  expect(content.length).toBeLessThan(3_000);
});
