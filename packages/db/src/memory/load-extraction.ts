import type { Failure } from '@loom/shared/api';
import type { BudgetLimits } from '@loom/shared/budget';
import type { PlanSubtask } from '@loom/shared/plan';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { unitId } from '../unit-ids.ts';

/** A limit that an extraction counts against, and what is used of it. */
export interface CountedBudget {
  limits: BudgetLimits;
  tokens: number;
  cost_micros: number;
}

/** What an attempt left behind, each part of it cut to a bound. */
export interface ExtractionBrief {
  goal: string;
  spec: PlanSubtask;
  status: string;
  summary: string | null;
  error: Failure | null;
  /** The last calls, oldest first. */
  calls: { tool: string; arguments: string; status: string; result: string | null }[];
  /** The last lines of the journal, oldest first; what tools said stands with the calls. */
  journal: { role: string; content: string }[];
  /** The task's budget and those above it. */
  budgets: CountedBudget[];
  /** Time that the unit was parked, and times in a row that it was for a model. */
  parked_seconds: number;
  model_parks: number;
}

/** Bounds of what one extraction reads, in rows and in characters of each. */
const maxCalls = 30;
const maxLines = 12;
const maxChars = 600;

/** Loads what there is to remember of an attempt; null when its subtask is gone. */
export async function loadExtraction(
  db: Database,
  unit: ClaimedUnit,
): Promise<ExtractionBrief | null> {
  const { task_id, subtask_id, attempt, tenant_id } = unit;
  const journal = unitId(task_id ?? '', { queue: 'subtasks', subtask_id, attempt });
  const { rows } = await db.pool.query<ExtractionBrief>({
    name: 'load-extraction',
    text: `SELECT t.goal, s.spec, a.status, a.summary, coalesce(a.error, s.error) AS error,
        u.parked_seconds, u.model_parks,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('tool', tool, 'arguments', left(arguments::text, ${maxChars}),
            'status', status, 'result', left(result, ${maxChars})) ORDER BY started_at, key), '[]')
          FROM (SELECT * FROM tool_calls WHERE unit_id = $5
            ORDER BY started_at DESC, key DESC LIMIT ${maxCalls}) c) AS calls,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('role', role, 'content', left(content, ${maxChars}))
            ORDER BY seq), '[]')
          FROM (SELECT * FROM attempt_messages WHERE unit_id = $5 AND role <> 'tool' AND content <> ''
            ORDER BY seq DESC LIMIT ${maxLines}) m) AS journal,
        jsonb_build_object('limits', t.budget, 'tokens', t.tokens_used, 'cost_micros', t.cost_micros)
          || (SELECT coalesce(jsonb_agg(jsonb_build_object('limits', b.limits, 'tokens', b.tokens,
            'cost_micros', b.cost_micros)), '[]')
          FROM budgets b WHERE b.id IN (t.session_id, t.tenant_id)) AS budgets
      FROM units u
      JOIN tasks t ON t.id = u.task_id
      JOIN subtasks s ON s.task_id = t.id AND s.id = $3
      JOIN attempts a ON a.task_id = t.id AND a.subtask_id = s.id AND a.number = $4
      WHERE u.id = $1 AND t.tenant_id = $2`,
    values: [unit.unit_id, tenant_id, subtask_id, attempt, journal],
  });
  return rows[0] ?? null;
}
