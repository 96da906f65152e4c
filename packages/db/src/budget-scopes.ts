import type { BudgetScope, Spent, Wants } from '@loom/shared/budget';
import type pg from 'pg';

interface ScopeRow extends Spent {
  id: string;
  kind: BudgetScope['kind'];
  limits: BudgetScope['limits'];
  model_calls_held: number;
  tool_calls_held: number;
  mutating_tool_calls_held: number;
}

/** The budgets above these tasks, locked. Sessions are locked before budgets everywhere, so theirs are here as well. */
export async function lockScopes(
  client: pg.ClientBase,
  tasks: { session_id: string | null; tenant_id: string }[],
): Promise<BudgetScope[]> {
  const sessions = tasks.flatMap(({ session_id }) => session_id ?? []);
  // Sent together, carried out in this order.
  const [, scopes] = await Promise.all([
    client.query({
      name: 'lock-limited-sessions',
      text: 'SELECT id FROM sessions WHERE id = ANY($1) ORDER BY id FOR UPDATE',
      values: [sessions],
    }),
    lockBudgets(client, [...sessions, ...tasks.map(({ tenant_id }) => tenant_id)]),
  ]);
  return scopes;
}

/** Locks budgets in id order; ids that have none are left out. */
export async function lockBudgets(client: pg.ClientBase, ids: string[]): Promise<BudgetScope[]> {
  const { rows } = await client.query<ScopeRow>({
    name: 'lock-budgets',
    text: `SELECT id, kind, limits, tokens, cost_micros, model_calls, tool_calls, mutating_tool_calls,
        model_calls_held, tool_calls_held, mutating_tool_calls_held
      FROM budgets WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
    values: [[...new Set(ids)]],
  });
  return rows.map(toScope);
}

function toScope(row: ScopeRow): BudgetScope {
  const { id, kind, limits, tokens, cost_micros, model_calls, tool_calls } = row;
  const { mutating_tool_calls } = row;
  return {
    id,
    kind,
    limits,
    spent: { tokens, cost_micros, model_calls, tool_calls, mutating_tool_calls },
    held: {
      model_calls: row.model_calls_held,
      tool_calls: row.tool_calls_held,
      mutating_tool_calls: row.mutating_tool_calls_held,
    },
  };
}

/** Writes scopes as this set of changes left them. */
export async function writeScopes(client: pg.ClientBase, scopes: BudgetScope[]): Promise<void> {
  if (scopes.length === 0) return;
  const rows = scopes.map(({ id, spent, held }) => ({ id, ...spent, ...asHeld(held) }));
  await client.query({
    name: 'write-scopes',
    text: `UPDATE budgets b SET tokens = r.tokens, cost_micros = r.cost_micros, model_calls = r.model_calls,
        tool_calls = r.tool_calls, mutating_tool_calls = r.mutating_tool_calls,
        model_calls_held = r.model_calls_held, tool_calls_held = r.tool_calls_held,
        mutating_tool_calls_held = r.mutating_tool_calls_held
      FROM jsonb_to_recordset($1::jsonb) AS r(id text, tokens bigint, cost_micros bigint, model_calls bigint,
        tool_calls bigint, mutating_tool_calls bigint, model_calls_held int, tool_calls_held int,
        mutating_tool_calls_held int)
      WHERE b.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

function asHeld(held: Wants) {
  return {
    model_calls_held: held.model_calls,
    tool_calls_held: held.tool_calls,
    mutating_tool_calls_held: held.mutating_tool_calls,
  };
}

/** Adds what calls have cost to everything that they are charged to. */
export function addSpent(total: Spent, more: Spent): Spent {
  return {
    tokens: total.tokens + more.tokens,
    cost_micros: total.cost_micros + more.cost_micros,
    model_calls: total.model_calls + more.model_calls,
    tool_calls: total.tool_calls + more.tool_calls,
    mutating_tool_calls: total.mutating_tool_calls + more.mutating_tool_calls,
  };
}

/** What is left of a grant after some of it was spent or given back. */
export function subtractSpent(held: Wants, spent: Wants): Wants {
  return {
    model_calls: Math.max(0, held.model_calls - spent.model_calls),
    tool_calls: Math.max(0, held.tool_calls - spent.tool_calls),
    mutating_tool_calls: Math.max(0, held.mutating_tool_calls - spent.mutating_tool_calls),
  };
}

/** Brings the holds of scopes in line with how a task's grants changed. */
export function moveHolds(
  scopes: BudgetScope[],
  before: Record<string, Wants>,
  after: Record<string, Wants>,
): void {
  if (before === after || scopes.length === 0) return;
  for (const name of ['model_calls', 'tool_calls', 'mutating_tool_calls'] as const) {
    const sum = (holds: Record<string, Wants>) =>
      Object.values(holds).reduce((total, wants) => total + wants[name], 0);
    const delta = sum(after) - sum(before);
    for (const scope of scopes) scope.held = { ...scope.held, [name]: scope.held[name] + delta };
  }
}
