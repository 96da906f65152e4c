import { expect, test } from 'vitest';
import { fixedPlan, planRules } from './plan-rules.ts';
import { planBrief, planned, policyWith } from './test-support/plan-brief.ts';

const phases = [planned('draft').spec, planned('review').spec];

test.each([
  [null, 1, false],
  ['strict', 2, false],
  ['guided', 1, true],
  ['suggestive', 1, true],
] as const)('phase mode %s', (phase_mode, structural_retries, normalise) => {
  const brief = planBrief({ policy: policyWith({ phase_mode, phases }) });
  expect(planRules(brief)).toEqual({ structural_retries, normalise, existing: [] });
});

test('a new version has to keep what is in the plan', () => {
  const brief = planBrief({ subtasks: [planned('a', { status: 'completed' }), planned('b')] });
  expect(planRules(brief).existing).toEqual([
    { id: 'a', status: 'completed' },
    { id: 'b', status: 'pending' },
  ]);
});

test('only strict phases leave nothing to ask', () => {
  const fixed = (phase_mode: 'strict' | 'guided' | 'suggestive' | null, some = phases) =>
    fixedPlan(planBrief({ policy: policyWith({ phase_mode, phases: some }) }));
  expect(fixed('strict')).toEqual({ subtasks: phases });
  expect(fixed('strict', [])).toBeNull();
  expect(fixed('guided')).toBeNull();
  expect(fixed('suggestive')).toBeNull();
  expect(fixed(null)).toBeNull();
});

test('a later version of strict phases is what people made of them', () => {
  const policy = policyWith({ phase_mode: 'strict', phases });
  const changed = planned('draft', { description: 'Write it shorter', status: 'failed' });
  const brief = planBrief({ policy, plan_version: 1, subtasks: [changed, planned('review')] });
  expect(fixedPlan(brief)).toEqual({ subtasks: [changed.spec, planned('review').spec] });
});
