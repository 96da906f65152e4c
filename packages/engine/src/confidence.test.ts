import type { TaskPolicy } from '@loom/shared/task-policy';
import type { ConfidenceSignals } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { confidenceOf, weighResult } from './confidence.ts';

const best: ConfidenceSignals = {
  tier1_ratio: 1,
  tier2_confidence: 1,
  tool_success: 1,
  destructive: false,
};

function policyOf(approval: Partial<TaskPolicy['approval']>): TaskPolicy['approval'] {
  return {
    mode: 'auto',
    threshold: 0.8,
    timeout_seconds: 1,
    objection_seconds: 1,
    on_timeout: 'deny',
    ...approval,
  };
}

describe('confidence', () => {
  it.each<[string, Partial<ConfidenceSignals>, number, number, number]>([
    ['all that could be better is best', {}, 0, 3, 1],
    ['the checks weigh 0.3', { tier1_ratio: 0 }, 0, 3, 0.7],
    ['another model weighs 0.3', { tier2_confidence: 0 }, 0, 3, 0.7],
    ['it counts by how sure it is', { tier2_confidence: 0.5 }, 0, 3, 0.85],
    ['retries weigh 0.2', {}, 3, 3, 0.8],
    ['each by its share', {}, 1, 4, 0.95],
    ['with no retries allowed none is missing', {}, 0, 0, 1],
    ['more retries than allowed count as all of them', {}, 9, 3, 0.8],
    ['a destructive action weighs 0.1', { destructive: true }, 0, 3, 0.9],
    ['failed tools weigh 0.1', { tool_success: 0 }, 0, 3, 0.9],
    ['without another model the rest is all', { tier2_confidence: null }, 0, 3, 1],
    ['and weighs more', { tier2_confidence: null, tier1_ratio: 0 }, 0, 3, 0.4 / 0.7],
    [
      'nothing speaks for it',
      { tier1_ratio: 0, tier2_confidence: 0, tool_success: 0, destructive: true },
      3,
      3,
      0,
    ],
  ])('%s', (_, signals, retries, maxRetries, expected) => {
    expect(confidenceOf({ ...best, ...signals }, retries, maxRetries)).toBeCloseTo(expected, 8);
  });

  it('reaches a band that it reaches on paper', () => {
    expect(confidenceOf(best, 3, 3)).toBe(0.8);
    expect(confidenceOf({ ...best, tier1_ratio: 0 }, 3, 3)).toBe(0.5);
    const poor = { ...best, tier1_ratio: 0, tier2_confidence: 0 };
    expect(confidenceOf(poor, 3, 3)).toBe(0.2);
  });
});

describe('a result', () => {
  it.each([
    [1, 'proceed'],
    [0.8, 'proceed'],
    [0.799, 'wait_with_timeout'],
    [0.5, 'wait_with_timeout'],
    [0.499, 'wait'],
    [0.2, 'wait'],
    [0.199, 'abort'],
    [0, 'abort'],
  ])('in auto mode with %d: %s', (confidence, course) => {
    expect(weighResult(policyOf({ mode: 'auto' }), confidence, false)).toBe(course);
    expect(weighResult(policyOf({ mode: 'auto' }), confidence, true)).toBe(course);
  });

  it('waits in manual mode unless a person has seen an action of the attempt', () => {
    expect(weighResult(policyOf({ mode: 'manual' }), 1, false)).toBe('wait');
    expect(weighResult(policyOf({ mode: 'manual' }), 0, true)).toBe('proceed');
  });

  it('is measured by the threshold if that is the mode', () => {
    const policy = policyOf({ mode: 'confidence_threshold', threshold: 0.6 });
    expect(weighResult(policy, 0.6, false)).toBe('proceed');
    expect(weighResult(policy, 0.59, true)).toBe('wait');
  });

  it('stands when approval is disabled', () => {
    expect(weighResult(policyOf({ mode: 'disabled' }), 0, false)).toBe('proceed');
  });
});
