import type { ApprovalDecision } from '@loom/shared/approval';
import { budgetSchema } from '@loom/shared/budget';
import { isTerminalTask } from '@loom/shared/statuses';
import type { OpenApproval } from '@loom/shared/task-state';
import { closeApproval } from '../approvals.ts';
import { completeSubtask } from '../complete-subtask.ts';
import { addError, type Draft, findSubtask, setCourse, setTrail } from '../draft.ts';
import { finishTask } from '../finish-task.ts';
import { endOnBudget, raiseLimits } from './budget.ts';
import { handleFailure } from './failure.ts';
import { endPause } from './pause.ts';
import { degradePlan } from './plan.ts';
import { beginReplan } from './replan.ts';

/** A person answered. A question that is not open any more has had its answer. */
export function decideApproval(draft: Draft, id: string, decision: ApprovalDecision): void {
  const { state } = draft;
  const open = state.course.approvals.find((one) => one.id === id);
  if (open === undefined || isTerminalTask(state.status)) return;
  const { by, reason } = decision;
  const status = decision.decision === 'approve' ? 'approved' : 'denied';
  closeApproval(draft, open, { status, by, reason, arguments: decision.arguments });
  if (decision.remember && decision.decision === 'approve' && open.tool !== null) {
    const tools = new Set([...state.course.allowed_tools, open.tool]);
    setCourse(draft, { allowed_tools: [...tools] });
  }
  act(draft, open, decision);
}

/** Nobody answered in time: what was agreed for that happens. */
export function expireApproval(draft: Draft, open: OpenApproval): void {
  const reason = 'nobody answered in time';
  closeApproval(draft, open, { status: 'expired', by: null, reason });
  act(draft, open, {
    decision: open.on_timeout,
    by: 'timeout',
    reason,
    arguments: null,
    remember: false,
  });
}

function act(draft: Draft, open: OpenApproval, decision: ApprovalDecision): void {
  const approved = decision.decision === 'approve';
  draft.unsettled = true;
  switch (open.kind) {
    case 'tool':
      return wakeAttempt(draft, open, decision);
    case 'result':
      return acceptResult(draft, open, decision);
    case 'plan':
      if (approved) return degradePlan(draft, open.about);
      addError(draft, { code: 'plan_unavailable', message: decision.reason ?? open.about });
      return finishTask(draft, 'failed');
    case 'replan':
      if (!approved || draft.state.course.exhausted !== null) {
        return setCourse(draft, { plan_is_final: true });
      }
      setCourse(draft, { extra_versions: draft.state.course.extra_versions + 1 });
      return beginReplan(draft, 'requested', open.about);
    case 'budget':
      return raiseBudget(draft, decision);
  }
}

/** The attempt reads the answer itself; it only has to go on. */
function wakeAttempt(draft: Draft, open: OpenApproval, answer: ApprovalDecision): void {
  const subtask = findSubtask(draft, open.subtask_id);
  if (subtask === null || subtask.attempts !== open.attempt) return;
  const approved = answer.decision === 'approve' && answer.by !== 'timeout';
  if (approved) setTrail(subtask, { seen_by_person: true });
  draft.wake.attempts.push({ subtask_id: subtask.id, attempt: subtask.attempts });
}

function acceptResult(draft: Draft, open: OpenApproval, decision: ApprovalDecision): void {
  const subtask = findSubtask(draft, open.subtask_id);
  if (subtask?.status !== 'awaiting_approval' || subtask.attempts !== open.attempt) return;
  if (decision.decision === 'approve') {
    completeSubtask(draft, subtask, { accepted_by: decision.by });
    return;
  }
  const message = decision.reason ?? 'A person did not accept the result.';
  handleFailure(draft, subtask, { code: 'result_denied', message }, null);
}

function raiseBudget(draft: Draft, { decision, by, arguments: args }: ApprovalDecision): void {
  const { paused } = draft.state.course;
  if (decision === 'deny') {
    if (paused?.exhaustion) endOnBudget(draft, paused.exhaustion);
    endPause(draft, by);
    return;
  }
  const { scope: _, ...limits } = args ?? {};
  const parsed = budgetSchema.safeParse(limits);
  if (parsed.success && Object.keys(parsed.data).length > 0) raiseLimits(draft, parsed.data, by);
  if (paused?.reason === 'budget') endPause(draft, by);
}
