import { AppError, errorMessage } from '@loom/shared/app-error';
import type { Approval, DecideApproval } from '@loom/shared/approval';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { approvalTitle, canBeRemembered } from '../format/describe-approval.ts';
import { decideApproval } from '../http/gateway.ts';
import { readEditedArguments } from '../state/read-edited-arguments.ts';
import { ApprovalArguments } from './approval-arguments.tsx';
import { Button } from './button.tsx';
import { DenyForm } from './deny-form.tsx';
import { ExpiresIn } from './expires-in.tsx';
import { HandIcon } from './icons.tsx';

interface ApprovalFormProps {
  approval: Approval;
  onDecided: (approval: Approval) => void;
}

/** An open question: approve, change what is asked for, or deny and say why. */
export function ApprovalForm({ approval, onDecided }: ApprovalFormProps) {
  const [edited, setEdited] = useState<string | null>(null);
  const [isDenying, setDenying] = useState(false);
  const [isRemembered, setRemembered] = useState(false);
  const decide = useMutation({
    mutationFn: (decision: Partial<DecideApproval>) => decideApproval(approval.id, decision),
    onSuccess: onDecided,
    onError: (error) => {
      const first = error instanceof AppError ? error.details.approval : undefined;
      if (first) onDecided(first as Approval);
    },
  });
  const reading = edited === null ? null : readEditedArguments(edited);
  const approve = () =>
    decide.mutate({
      decision: 'approve',
      ...(reading?.ok ? { arguments: reading.arguments } : {}),
      ...(isRemembered ? { scope: 'session' } : {}),
    });
  return (
    <div className="appear overflow-hidden rounded-2xl border border-warn/40 bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.04)]">
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 bg-warn-soft px-4 py-2.5 text-warn">
        <HandIcon className="size-4.5" />
        <h3 className="wrap-anywhere min-w-0 flex-1 font-semibold text-sm">
          {approvalTitle(approval)}
        </h3>
        <ExpiresIn at={approval.expires_at} />
      </header>
      <div className="space-y-3 px-4 py-3">
        <p className="wrap-anywhere text-sm text-soft">{approval.reason}</p>
        <ApprovalArguments
          approval={approval}
          edited={edited}
          problem={reading?.ok === false ? reading.message : null}
          onEdit={setEdited}
        />
        {canBeRemembered(approval) && !isDenying && (
          <label className="flex items-start gap-2 text-sm text-soft">
            <input
              type="checkbox"
              checked={isRemembered}
              onChange={(event) => setRemembered(event.target.checked)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span className="wrap-anywhere min-w-0">
              Always allow <code className="font-mono text-[13px]">{approval.tool}</code> in this
              session
            </span>
          </label>
        )}
        {decide.isError && (
          <p role="alert" className="wrap-anywhere text-bad text-sm">
            {errorMessage(decide.error)}
          </p>
        )}
        {isDenying ? (
          <DenyForm
            isPending={decide.isPending}
            onDeny={(reason) =>
              decide.mutate({ decision: 'deny', ...(reason === '' ? {} : { reason }) })
            }
            onBack={() => setDenying(false)}
          />
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button
              look="primary"
              data-testid="approve"
              disabled={decide.isPending || reading?.ok === false}
              onClick={approve}
            >
              {edited === null ? 'Approve' : 'Approve with changes'}
            </Button>
            <Button data-testid="deny" disabled={decide.isPending} onClick={() => setDenying(true)}>
              Deny…
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
