import type { ApprovalKind, ApprovalStatus } from '@loom/shared/approval';
import type { OpenApproval, SubtaskState } from '@loom/shared/task-state';
import { boundedJson } from '@loom/shared/text';
import { type Draft, setCourse } from './draft.ts';

interface Question {
  kind: ApprovalKind;
  subtask: SubtaskState | null;
  tool?: string;
  arguments?: unknown;
  call_key?: string;
  reason: string;
  seconds: number;
  on_timeout: OpenApproval['on_timeout'];
}

/** Puts a question to a person. Its id follows from the task, so that deciding stays arithmetic. */
export function openApproval(draft: Draft, question: Question): void {
  const { state, context } = draft;
  const { kind, subtask, reason } = question;
  const number = state.course.approvals_asked + 1;
  const id = `apr_${state.id.replace(/^task_/, '')}-${number}`;
  const expires_at = context.now + question.seconds * 1_000;
  const place = { subtask_id: subtask?.id ?? null, attempt: subtask?.attempts ?? null };
  const tool = question.tool ?? null;
  const open: OpenApproval = {
    id,
    kind,
    ...place,
    tool,
    expires_at,
    on_timeout: question.on_timeout,
    about: reason,
  };
  setCourse(draft, { approvals_asked: number, approvals: [...state.course.approvals, open] });
  const args = question.arguments ?? {};
  draft.approvals.push({
    op: 'open',
    id,
    kind,
    tool,
    arguments: args,
    reason,
    ...place,
    call_key: question.call_key ?? null,
    expires_at,
  });
  draft.events.push({
    type: 'approval.requested',
    ...(subtask === null ? {} : { subtask_id: subtask.id, attempt: subtask.attempts }),
    data: {
      approval_id: id,
      kind,
      tool,
      arguments: boundedJson(args, maxShown),
      reason,
      expires_at: new Date(expires_at).toISOString(),
    },
  });
}

/** Takes a question off the table with its answer. */
export function closeApproval(
  draft: Draft,
  open: OpenApproval,
  answer: {
    status: Exclude<ApprovalStatus, 'pending'>;
    by: string | null;
    reason: string | null;
    arguments?: Record<string, unknown> | null;
  },
): void {
  const { status, by, reason } = answer;
  setCourse(draft, {
    approvals: draft.state.course.approvals.filter(({ id }) => id !== open.id),
  });
  draft.approvals.push({
    op: 'close',
    id: open.id,
    status,
    by,
    reason,
    arguments: answer.arguments ?? null,
  });
  draft.events.push({
    type: status === 'expired' ? 'approval.expired' : 'approval.decided',
    ...(open.subtask_id === null
      ? {}
      : { subtask_id: open.subtask_id, attempt: open.attempt ?? 1 }),
    data: { approval_id: open.id, kind: open.kind, status, by, reason },
  });
}

/** Questions that nobody needs answered any more: of one subtask, or of the whole task. */
export function dropApprovals(draft: Draft, subtaskId: string | null, reason: string): void {
  for (const open of draft.state.course.approvals) {
    if (subtaskId !== null && open.subtask_id !== subtaskId) continue;
    closeApproval(draft, open, { status: 'expired', by: null, reason });
  }
}

/** An event shows so much of what is asked; the whole stands in the approval. */
const maxShown = 2_000;
