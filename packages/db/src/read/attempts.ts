import type { Attempt, Failure } from '@loom/shared/api';
import type { AttemptStatus } from '@loom/shared/statuses';
import type { Verdict } from '@loom/shared/verdict';
import { toIsoOrNull } from './row-values.ts';

/** An attempt joined with its verdict, if one was given. */
export interface AttemptRow {
  subtask_id: string;
  number: number;
  status: AttemptStatus;
  model: string | null;
  tier: number;
  started_at: Date | null;
  ended_at: Date | null;
  error: Failure | null;
  outcome: Verdict['outcome'] | null;
  verdict_tier: number;
  conclusive: boolean;
  confidence: number;
  reason_code: string;
  severity_class: Verdict['severity_class'];
  feedback: string;
  evidence: Verdict['evidence'];
  checks: Verdict['checks'];
  missing_targets: string[];
}

/** Columns of attempts `a` and verdicts `v`. */
export const attemptColumns = `a.subtask_id, a.number, a.status, a.model, a.tier, a.started_at,
  a.ended_at, a.error, v.outcome, v.tier AS verdict_tier, v.conclusive, v.confidence,
  v.reason_code, v.severity_class, v.feedback, v.evidence, v.checks, v.missing_targets`;

/** A row as the contract's attempt: `error` and `verdict` are there only when they exist. */
export function toAttempt(row: AttemptRow): Attempt {
  const verdict = toVerdict(row);
  return {
    number: row.number,
    status: row.status,
    model: row.model,
    tier: row.tier,
    started_at: toIsoOrNull(row.started_at),
    ended_at: toIsoOrNull(row.ended_at),
    ...(row.error === null ? {} : { error: row.error }),
    ...(verdict === null ? {} : { verdict }),
  };
}

function toVerdict(row: AttemptRow): Verdict | null {
  if (row.outcome === null) return null;
  return {
    outcome: row.outcome,
    tier: row.verdict_tier,
    conclusive: row.conclusive,
    confidence: row.confidence,
    reason_code: row.reason_code,
    severity_class: row.severity_class,
    feedback: row.feedback,
    evidence: row.evidence,
    checks: row.checks,
    missing_targets: row.missing_targets,
  };
}
