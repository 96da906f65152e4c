import {
  type BudgetLimits,
  type BudgetScope,
  type Exhaustion,
  nothingSpent,
  nothingWanted,
  type Spent,
  type Wants,
} from '@loom/shared/budget';
import type pg from 'pg';
import { addSpent, lockBudgets, subtractSpent, writeScopes } from './budget-scopes.ts';

/** The arithmetic of budgets: the first limit that refuses what is wanted, or null. */
export type FindExhaustion = (
  limits: BudgetLimits,
  spent: Spent,
  held: Wants,
  wants: Wants,
  scope: Exhaustion['scope'],
) => Exhaustion | null;

/** What a turn was granted and has not yet spent, and the budgets that say so. */
interface TurnHold extends Wants {
  budgets: string[];
}

/** The part of a turn that budgets look at. */
export interface MeteredTurn {
  id: string;
  session_id: string;
  tenant_id: string;
  /** Its session or its tenant has a budget. */
  metered: boolean;
  held: TurnHold | null;
}

interface BudgetUse {
  /** What the calls just made have cost. */
  spent: Spent | null;
  /** What the turn is about to do: replaces whatever it held. Null: it goes on with what is left. */
  wants: Wants | null;
  /** False when the turn ends or parks: it gives back what it holds. */
  keep: boolean;
}

interface BudgetAnswer {
  held: TurnHold | null;
  /** The limit that refused what was wanted. */
  refused: Exhaustion | null;
}

/**
 * Settles what a turn spent and holds for it what it wants next, in every budget above it. The
 * session's lock is held by then: budgets are always locked after it, in id order. A turn that no
 * budget limits costs nothing here.
 */
export async function useTurnBudget(
  client: pg.ClientBase,
  turn: MeteredTurn,
  use: BudgetUse,
  findExhaustion: FindExhaustion | null,
): Promise<BudgetAnswer> {
  if (!turn.metered && turn.held === null) return { held: null, refused: null };
  const spent = use.spent ?? nothingSpent;
  const left = use.keep ? leftOf(turn.held, spent) : null;
  const unchanged = use.wants === null && !spendsAnything(spent) && left === turn.held;
  if (unchanged) return { held: turn.held, refused: null };
  const scopes = await lockBudgets(client, [
    turn.session_id,
    turn.tenant_id,
    ...(turn.held?.budgets ?? []),
  ]);
  const others = scopes.map((scope) => settle(scope, spent, turn.held));
  const refused = use.wants === null ? null : findRefusal(others, use.wants, findExhaustion);
  const held = use.wants === null ? left : refused === null ? holdIn(scopes, use.wants) : null;
  await Promise.all([
    writeScopes(
      client,
      others.map((scope) => ({ ...scope, held: plus(scope.held, partIn(held, scope.id)) })),
    ),
    client.query({
      name: 'write-turn-hold',
      text: 'UPDATE turns SET held = $2 WHERE id = $1',
      values: [turn.id, held === null ? null : JSON.stringify(held)],
    }),
  ]);
  return { held, refused };
}

const wantKeys = ['model_calls', 'tool_calls', 'mutating_tool_calls'] as const;

function spendsAnything(spent: Spent): boolean {
  return Object.values(spent).some((value) => value > 0);
}

function leftOf(held: TurnHold | null, spent: Spent): TurnHold | null {
  if (held === null || wantKeys.every((key) => spent[key] === 0)) return held;
  return { ...subtractSpent(held, spent), budgets: held.budgets };
}

function plus(a: Wants, b: Wants): Wants {
  return {
    model_calls: a.model_calls + b.model_calls,
    tool_calls: a.tool_calls + b.tool_calls,
    mutating_tool_calls: a.mutating_tool_calls + b.mutating_tool_calls,
  };
}

/** A budget after this turn's spending and without its hold: what everybody else holds is counted. */
function settle(scope: BudgetScope, spent: Spent, hold: TurnHold | null): BudgetScope {
  return {
    ...scope,
    spent: addSpent(scope.spent, spent),
    held: subtractSpent(scope.held, partIn(hold, scope.id)),
  };
}

/** What a hold takes of one budget: nothing of those that were set only later. */
function partIn(hold: TurnHold | null, id: string): Wants {
  return hold?.budgets.includes(id) ? hold : nothingWanted;
}

function holdIn(scopes: BudgetScope[], wants: Wants): TurnHold {
  return { ...wants, budgets: scopes.map(({ id }) => id) };
}

/** The nearest budget speaks first: the session's, then the tenant's. */
function findRefusal(
  scopes: BudgetScope[],
  wants: Wants,
  findExhaustion: FindExhaustion | null,
): Exhaustion | null {
  const nearestFirst = scopes.toSorted((a, b) => a.kind.localeCompare(b.kind));
  for (const { limits, spent, held, kind } of nearestFirst) {
    const refused = findExhaustion?.(limits, spent, held, wants, kind) ?? null;
    if (refused !== null) return refused;
  }
  return null;
}
