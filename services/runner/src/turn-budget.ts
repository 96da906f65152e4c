import type { Exhaustion, Wants } from '@loom/shared/budget';

/** Whether what a turn holds is enough for what it wants to do. */
export function covers(held: Wants | null, wants: Wants): boolean {
  const has = held ?? { model_calls: 0, tool_calls: 0, mutating_tool_calls: 0 };
  return (
    has.model_calls >= wants.model_calls &&
    has.tool_calls >= wants.tool_calls &&
    has.mutating_tool_calls >= wants.mutating_tool_calls
  );
}

/** How a turn fails that a budget refused a call: which one, how far it is used, and how to raise it. */
export function budgetFailure(
  exhaustion: Exhaustion,
  { session_id, tenant_id }: { session_id: string | null; tenant_id: string },
) {
  const { budget, scope, used, limit } = exhaustion;
  const raise =
    scope === 'tenant'
      ? `Raise it under [tenants.${tenant_id}] in loom.toml, then send the message again.`
      : `Raise it with POST /api/sessions/${session_id}/budget, then send the message again.`;
  const message = `The ${scope}'s budget ${budget} does not allow the next step: ${used} of ${limit} used. ${raise}`;
  return { code: 'budget_exhausted', message, ...exhaustion };
}
