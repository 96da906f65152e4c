import type { Approval } from '@loom/shared/approval';

/** What a person is asked, in a few words. */
export function approvalTitle({ kind, tool }: Approval): string {
  switch (kind) {
    case 'tool':
      return tool === 'delegate_task' ? 'Start this task?' : `Run ${tool}?`;
    case 'result':
      return 'Accept this result?';
    case 'plan':
      return 'Begin without a proper plan?';
    case 'replan':
      return 'Plan this task once more?';
    case 'budget':
      return 'Spend more?';
  }
}

/** Whether one answer can free the tool for the rest of the session; some calls are always asked about. */
export function canBeRemembered(approval: Approval & { can_remember?: boolean }): boolean {
  if (approval.kind !== 'tool' || approval.session_id === null) return false;
  // Without the gateway's word: a delegation, and what only the mode "manual" asks about, may be freed.
  const byMode = approval.reason.startsWith('In manual mode');
  return approval.can_remember ?? (byMode || approval.tool === 'delegate_task');
}
