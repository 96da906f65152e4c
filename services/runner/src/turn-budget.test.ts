import { nothingWanted } from '@loom/shared/budget';
import { expect, test } from 'vitest';
import { budgetFailure, covers } from './turn-budget.ts';

test('a hold covers what is wanted only if every count fits', () => {
  const held = { model_calls: 1, tool_calls: 2, mutating_tool_calls: 1 };
  expect(covers(held, held)).toBe(true);
  expect(covers(held, { ...held, model_calls: 2 })).toBe(false);
  expect(covers(held, { ...held, tool_calls: 3 })).toBe(false);
  expect(covers(held, { ...held, mutating_tool_calls: 2 })).toBe(false);
  expect(covers(null, nothingWanted)).toBe(true);
  expect(covers(null, { ...nothingWanted, model_calls: 1 })).toBe(false);
});

test('a refused turn names the budget, how far it is used, and who can raise it where', () => {
  const place = { session_id: 'ses_1', tenant_id: 'acme' };
  const session = { budget: 'max_tokens', scope: 'session', used: 12, limit: 10 } as const;
  expect(budgetFailure(session, place)).toEqual({
    code: 'budget_exhausted',
    message:
      "The session's budget max_tokens does not allow the next step: 12 of 10 used. Raise it with POST /api/sessions/ses_1/budget, then send the message again.",
    ...session,
  });
  const tenant = { budget: 'max_cost_usd', scope: 'tenant', used: 1.5, limit: 1 } as const;
  expect(budgetFailure(tenant, place).message).toBe(
    "The tenant's budget max_cost_usd does not allow the next step: 1.5 of 1 used. Raise it under [tenants.acme] in loom.toml, then send the message again.",
  );
});
