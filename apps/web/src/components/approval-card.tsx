import type { Approval } from '@loom/shared/approval';
import { approvalTitle } from '../format/describe-approval.ts';
import { ApprovalForm } from './approval-form.tsx';
import { ApprovalRecord } from './approval-record.tsx';

interface ApprovalCardProps {
  approval: Approval;
  /** Called with the question as it stands after an answer, from here or from elsewhere. */
  onDecided: (approval: Approval) => void;
}

/** A question that work waits for; once answered, a line that says by whom and how. */
export function ApprovalCard({ approval, onDecided }: ApprovalCardProps) {
  return (
    <section
      data-testid="approval"
      data-status={approval.status}
      data-approval={approval.id}
      aria-label={approvalTitle(approval)}
    >
      {approval.status === 'pending' ? (
        <ApprovalForm approval={approval} onDecided={onDecided} />
      ) : (
        <ApprovalRecord approval={approval} />
      )}
    </section>
  );
}
