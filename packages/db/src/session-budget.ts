import type { BudgetLimits } from '@loom/shared/budget';
import type pg from 'pg';

/** Whether these limits limit anything; 0 means without limit. */
function limitsSomething(limits: BudgetLimits): boolean {
  return Object.values(limits).some((limit) => limit > 0);
}

interface SessionBudget {
  session_id: string;
  tenant_id: string;
  limits: BudgetLimits;
}

/** Gives a new session its budget; one that limits nothing leaves no row, and costs no turn anything. */
export async function insertSessionBudget(
  client: pg.ClientBase,
  { session_id, tenant_id, limits }: SessionBudget,
): Promise<void> {
  if (!limitsSomething(limits)) return;
  await writeLimits(client, { id: session_id, tenant_id, kind: 'session', limits });
}

/**
 * Replaces the limits of a session that the caller has locked: a running turn looks for budgets
 * under that lock. A budget counts from when it was first set, and keeps what was spent since,
 * also when its limits are lifted for a while.
 */
export async function setSessionBudget(
  client: pg.ClientBase,
  { session_id, tenant_id, limits }: SessionBudget,
): Promise<void> {
  await client.query('UPDATE sessions SET budget = $2, updated_at = now() WHERE id = $1', [
    session_id,
    JSON.stringify(limits),
  ]);
  if (limitsSomething(limits)) {
    await writeLimits(client, { id: session_id, tenant_id, kind: 'session', limits });
  } else {
    await liftLimits(client, session_id);
  }
}

/** Raises some limits of a session and leaves the others; a task of the session has it locked. */
export async function raiseSessionBudget(
  client: pg.ClientBase,
  { session_id, tenant_id, limits }: SessionBudget,
): Promise<void> {
  const { rows } = await client.query<{ budget: BudgetLimits }>(
    'SELECT budget FROM sessions WHERE id = $1 FOR UPDATE',
    [session_id],
  );
  const raised = { ...rows[0]?.budget, ...limits };
  await setSessionBudget(client, { session_id, tenant_id, limits: raised });
}

/** Brings a tenant's budget to what the configuration says; `{}` lifts it. Any process may do it at any time. */
export async function upsertTenantBudget(
  client: pg.ClientBase | pg.Pool,
  { tenant_id, limits }: { tenant_id: string; limits: BudgetLimits },
): Promise<void> {
  if (limitsSomething(limits)) {
    await writeLimits(client, { id: tenant_id, tenant_id, kind: 'tenant', limits });
  } else {
    await liftLimits(client, tenant_id);
  }
}

async function writeLimits(
  client: pg.ClientBase | pg.Pool,
  budget: { id: string; tenant_id: string; kind: 'session' | 'tenant'; limits: BudgetLimits },
): Promise<void> {
  await client.query(
    `INSERT INTO budgets (id, tenant_id, kind, limits) VALUES ($1, $2, $3, $4)
      ON CONFLICT (id) DO UPDATE SET limits = excluded.limits`,
    [budget.id, budget.tenant_id, budget.kind, JSON.stringify(budget.limits)],
  );
}

/** The row stays: units hold calls in it, and what they spend is counted on. */
async function liftLimits(client: pg.ClientBase | pg.Pool, id: string): Promise<void> {
  await client.query(`UPDATE budgets SET limits = '{}' WHERE id = $1`, [id]);
}
