import { type BudgetLimits, nothingSpent, nothingWanted, type Spent } from '@loom/shared/budget';
import { describe, expect, it } from 'vitest';
import { addWants, findExhaustion, limitsCalls } from './budget.ts';

const oneCall = { ...nothingWanted, model_calls: 1 };

function find(limits: BudgetLimits, spent: Partial<Spent>, wants = oneCall, held = nothingWanted) {
  return findExhaustion(limits, { ...nothingSpent, ...spent }, held, wants, 'task');
}

describe('findExhaustion', () => {
  it('grants the last call and refuses the one after it', () => {
    expect(find({ max_model_calls: 3 }, { model_calls: 2 })).toBeNull();
    expect(find({ max_model_calls: 3 }, { model_calls: 3 })).toEqual({
      budget: 'max_model_calls',
      scope: 'task',
      used: 3,
      limit: 3,
    });
  });

  it('counts what others hold as used', () => {
    const held = { ...nothingWanted, model_calls: 1 };
    expect(find({ max_model_calls: 3 }, { model_calls: 1 }, oneCall, held)).toBeNull();
    expect(find({ max_model_calls: 3 }, { model_calls: 2 }, oneCall, held)).not.toBeNull();
  });

  it('refuses a whole batch of calls that does not fit', () => {
    const batch = { model_calls: 0, tool_calls: 3, mutating_tool_calls: 2 };
    expect(find({ max_tool_calls: 5 }, { tool_calls: 2 }, batch)).toBeNull();
    expect(find({ max_tool_calls: 5 }, { tool_calls: 3 }, batch)?.budget).toBe('max_tool_calls');
    expect(find({ max_mutating_tool_calls: 1 }, {}, batch)?.budget).toBe('max_mutating_tool_calls');
  });

  it('does not refuse a model call because the tool calls are used up', () => {
    expect(find({ max_tool_calls: 1 }, { tool_calls: 1 })).toBeNull();
  });

  it.each<[keyof BudgetLimits, number, Partial<Spent>, Partial<Spent>]>([
    ['max_tokens', 100, { tokens: 99 }, { tokens: 100 }],
    ['max_cost_usd', 0.5, { cost_micros: 499_999 }, { cost_micros: 500_000 }],
  ])('lets a call begin as long as %s is not reached', (budget, limit, below, reached) => {
    expect(find({ [budget]: limit }, below)).toBeNull();
    expect(find({ [budget]: limit }, reached)?.budget).toBe(budget);
  });

  it('takes 0 and absence for "without limit"', () => {
    const spent = { tokens: 1e9, cost_micros: 1e9, model_calls: 1e9 };
    expect(find({ max_tokens: 0, max_cost_usd: 0, max_model_calls: 0 }, spent)).toBeNull();
    expect(find({}, spent)).toBeNull();
  });
});

it('only limits on calls make a task ask before each of them', () => {
  expect(limitsCalls({ max_replans: 1, max_seconds: 9, max_remediation_attempts: 1 })).toBe(false);
  expect(limitsCalls({ max_tokens: 0 })).toBe(false);
  expect(limitsCalls({ max_tokens: 1 })).toBe(true);
  expect(limitsCalls({ max_mutating_tool_calls: 1 })).toBe(true);
});

it('grants add up', () => {
  const more = { model_calls: 1, tool_calls: 2, mutating_tool_calls: 3 };
  expect(addWants([more, more])).toEqual({ model_calls: 2, tool_calls: 4, mutating_tool_calls: 6 });
  expect(addWants([])).toEqual(nothingWanted);
});
