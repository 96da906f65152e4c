import type { Approval, ApprovalStatus } from '@loom/shared/approval';
import type { StreamEvent } from '../http/stream-event.ts';

/** Questions to people by id. */
export type Approvals = Record<string, Approval>;

/** Adds what was read; a reading from before a decision never opens the question again. */
export function mergeApprovals(known: Approvals, read: readonly Approval[]): Approvals {
  const merged = { ...known };
  for (const approval of read) {
    const before = merged[approval.id];
    if (before && before.status !== 'pending' && approval.status === 'pending') continue;
    merged[approval.id] = approval;
  }
  return merged;
}

/** Closes a question of which the stream says that it is answered or that its time is over. */
export function closeApproval(known: Approvals, event: StreamEvent): Approvals {
  if (event.type !== 'approval.decided' && event.type !== 'approval.expired') return known;
  const open = known[String(event.data.approval_id)];
  if (open?.status !== 'pending') return known;
  const { status, by, reason } = event.data;
  const closed: Approval = {
    ...open,
    status: status as ApprovalStatus,
    decided_by: typeof by === 'string' ? by : null,
    decided_at: event.at,
    decision_reason: typeof reason === 'string' ? reason : null,
  };
  return { ...known, [open.id]: closed };
}
