import type { Approval } from '@loom/shared/approval';
import { describeCall } from '../format/describe-call.ts';
import { useMe } from '../state/use-me.ts';
import { CheckIcon, CrossIcon, DashIcon } from './icons.tsx';

const words = {
  approved: { verb: 'Approved', icon: <CheckIcon className="size-3.5 text-good" /> },
  denied: { verb: 'Denied', icon: <CrossIcon className="size-3.5 text-bad" /> },
  expired: { verb: 'Expired', icon: <DashIcon className="size-3.5 text-faint" /> },
};

/** How a question ended: the answer, who gave it, and what they said. */
export function ApprovalRecord({ approval }: { approval: Approval }) {
  const me = useMe();
  const { status, decided_by, decision_reason, kind, tool } = approval;
  if (status === 'pending') return null;
  const { verb, icon } = words[status];
  const by = decided_by === null ? '' : ` by ${decided_by === me?.key_id ? 'you' : decided_by}`;
  const about = kind === 'tool' ? (tool ?? '') : kind;
  return (
    <p className="flex items-start gap-2 text-soft text-sm">
      <span className="mt-1">{icon}</span>
      <span className="wrap-anywhere min-w-0">
        <span className="font-medium">{verb}</span>
        {by}: <code className="font-mono text-[13px]">{about}</code>{' '}
        <code className="font-mono text-[13px] text-faint">
          {describeCall({ id: '', name: about, arguments: approval.arguments })}
        </code>
        {decision_reason && <span className="text-faint"> — {decision_reason}</span>}
      </span>
    </p>
  );
}
