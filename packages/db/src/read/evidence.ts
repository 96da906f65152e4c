import type { CheckResult, EvidenceItem, Verdict } from '@loom/shared/verdict';
import type { Database } from '../database.ts';

/** One thing that a verdict rests on: what a check found, or what a model pointed at. */
export interface Evidence extends EvidenceItem {
  subtask_id: string;
  attempt: number;
  kind: 'check' | 'model';
  outcome: Verdict['outcome'];
  exit_code?: number;
  sha256?: string;
}

interface VerdictRow {
  subtask_id: string;
  attempt: number;
  outcome: Verdict['outcome'];
  evidence: EvidenceItem[];
  checks: CheckResult[];
}

/** Everything the verdicts of a task looked at, in the plan's order; null when the tenant has no such task. */
export async function listEvidence(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<Evidence[] | null> {
  // A task without verdicts gives one row of nulls, no task gives none.
  const { rows } = await db.pool.query<VerdictRow | Record<keyof VerdictRow, null>>(
    `SELECT v.subtask_id, v.attempt, v.outcome, v.evidence, v.checks
     FROM tasks t
     LEFT JOIN verdicts v ON v.task_id = t.id AND v.tenant_id = t.tenant_id
     LEFT JOIN subtasks s ON s.task_id = v.task_id AND s.id = v.subtask_id
     WHERE t.id = $1 AND t.tenant_id = $2
     ORDER BY s.position, v.subtask_id, v.attempt`,
    [params.task_id, params.tenant_id],
  );
  if (rows.length === 0) return null;
  return rows.flatMap((row) => (row.subtask_id === null ? [] : toEvidence(row)));
}

function toEvidence({ subtask_id, attempt, outcome, evidence, checks }: VerdictRow): Evidence[] {
  const of = { subtask_id, attempt };
  return [
    ...checks.map((check): Evidence => ({ ...of, kind: 'check', ...toFinding(check) })),
    ...evidence.map(
      ({ claim, source, quote }): Evidence => ({
        ...of,
        kind: 'model',
        claim,
        source,
        quote,
        outcome,
      }),
    ),
  ];
}

function toFinding({ name, target, detail, passed, advisory, exit_code, sha256 }: CheckResult) {
  const failed = advisory ? 'pass_with_warnings' : 'fail';
  return {
    claim: name,
    source: target,
    quote: detail,
    outcome: passed ? ('pass' as const) : (failed as Verdict['outcome']),
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}
