import type { ApprovalStatus } from '@loom/shared/approval';
import type { JsonObject } from '@loom/shared/json';

/** What people said, or did not say, about one tool call of a unit. */
export interface StoredApproval {
  call_key: string;
  status: ApprovalStatus;
  /** Other arguments to run the call with. */
  decided_arguments: JsonObject | null;
  decision_reason: string | null;
}

/** SQL of a unit's approvals as one json array; `unit` is an expression that gives its id. */
export const storedApprovalsSql = (unit: string): string => `(
  SELECT coalesce(jsonb_agg(jsonb_build_object('call_key', p.call_key, 'status', p.status,
      'decided_arguments', p.decided_arguments, 'decision_reason', p.decision_reason)
      ORDER BY p.requested_at, p.id), '[]')
    FROM approvals p WHERE p.unit_id = ${unit} AND p.call_key IS NOT NULL)`;
