import type { Failure } from '@loom/shared/api';
import type { RetryStrategy } from '@loom/shared/task-state';
import { cutText } from '@loom/shared/text';
import { failureHint } from './failure-hint.ts';

/** What is known of the attempts before this one. */
export interface EarlierAttempts {
  feedback: string | null;
  error: Failure | null;
  strategy: RetryStrategy | null;
  missing_targets: readonly string[];
  /** Files that they changed. */
  files_changed: readonly string[];
  /** Paths that the subtask promises. */
  deliverables: readonly string[];
  /** Confirm-or-prune attempts, this one included. */
  confirmations: number;
  /** Why the subtask is being set right after it was given up; null when it is not. */
  remediation: { reason_code: string; blocking: boolean; attempts: number } | null;
}

/** Bounds in characters and lines: a failure's story never crowds the subtask out of the prompt. */
const maxFeedback = 4_000;
const maxError = 1_000;
const maxTargets = 20;
const maxTarget = 300;
const maxFiles = 40;
const maxPath = 200;

const plans: Record<RetryStrategy, string> = {
  generic:
    'First look at what is there now. Then change what was found wrong, and nothing that was right. Check the result yourself before you finish.',
  rate_limit:
    'A service refused requests because there were too many. Use what is already in the workspace before you ask again, ask for less at once, and go on with what was left undone.',
  verifier_parse:
    'The result could not be judged, which need not mean that it is wrong. Check it against the acceptance criteria, correct what does not meet them, and say plainly in your answer where each one is met.',
  evidence_gap:
    'Evidence is missing. For each missing target find a source, or make what is missing; write down where it comes from, next to the claim. What you cannot find, say so instead of filling the gap.',
  unconfirmed_data:
    'Some data could not be confirmed. Confirm each item from a second source or from the files themselves; mark what stays unconfirmed, and let nothing depend on it.',
};

const confirmOrPrune =
  'CONFIRM OR PRUNE: this is a repair, not a new try. For every statement or item that was not confirmed, either confirm it now with evidence, or take it out and say that you did. Add nothing new.';

/** How a failure of this kind is met. */
export function retryPlan(strategy: RetryStrategy): string {
  return plans[strategy];
}

/** What an executor is told of the attempts before its own, bounded; null when there is nothing to tell. */
export function retryContext(earlier: EarlierAttempts): string | null {
  const { feedback, error, confirmations, remediation } = earlier;
  const parts = [
    ...(remediation === null ? [] : [remediationText(remediation)]),
    ...(confirmations > 0 ? [confirmOrPrune] : []),
    ...failureText(feedback, error),
    ...strategyText(earlier),
    ...filesText(earlier),
  ];
  return parts.length === 0 ? null : parts.join('\n\n');
}

function failureText(feedback: string | null, error: Failure | null): string[] {
  const said = feedback?.trim() ?? '';
  if (said === '' && error === null) return [];
  const lines = ['AN EARLIER ATTEMPT WAS NOT ACCEPTED:'];
  if (said !== '') lines.push(cutText(said, maxFeedback));
  if (error !== null) {
    const { category, hint } = failureHint(error);
    // The feedback of a verdict is also its error's message.
    const message = error.message.trim() === said ? '' : `: ${cutText(error.message, maxError)}`;
    lines.push(`Kind of failure: ${category} (${cutText(error.code, 100)})${message}`, hint);
  }
  return [lines.join('\n')];
}

function strategyText({ strategy, missing_targets }: EarlierAttempts): string[] {
  const parts: string[] = [];
  if (missing_targets.length > 0) {
    parts.push(`WHAT IS MISSING:\n${bullets(missing_targets, maxTargets, maxTarget)}`);
  }
  if (strategy !== null) parts.push(`HOW TO GO ABOUT IT: ${retryPlan(strategy)}`);
  return parts;
}

function filesText(earlier: EarlierAttempts): string[] {
  const { files_changed, deliverables, feedback, error } = earlier;
  if (files_changed.length === 0 && feedback === null && error === null) return [];
  const only = deliverables.length === 0 ? '' : ' The result belongs in the deliverables alone.';
  const policy = `Correct them in place; make no copies and no second versions.${only}`;
  if (files_changed.length === 0) {
    return [`Files of earlier attempts may still be in the workspace. ${policy}`];
  }
  const listed = bullets(files_changed, maxFiles, maxPath);
  return [`FILES ALREADY CHANGED by earlier attempts:\n${listed}\n${policy}`];
}

function remediationText(item: NonNullable<EarlierAttempts['remediation']>): string {
  const { reason_code, blocking, attempts } = item;
  const weight = blocking
    ? 'The task cannot be completed without it.'
    : 'The task goes on meanwhile; what you set right is added to its result.';
  return `REMEDIATION: this subtask was given up (${cutText(reason_code, 100)}) and is now set right, try ${attempts}. ${weight} Repair what is named below; do not begin anew.`;
}

function bullets(lines: readonly string[], maxLines: number, maxLength: number): string {
  const shown = lines.slice(0, maxLines).map((line) => `- ${cutText(line, maxLength)}`);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}
