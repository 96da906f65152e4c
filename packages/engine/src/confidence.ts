import { assertNever } from '@loom/shared/assert-never';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type { ConfidenceSignals } from '@loom/shared/task-state';

const weights = { tier1: 0.3, tier2: 0.3, retries: 0.2, harmless: 0.1, tools: 0.1 };

const bands = { proceed: 0.8, wait_with_timeout: 0.5, wait: 0.2 };

/**
 * How far a result can be trusted, from 0 to 1 (behaviours, A2). A signal that was not taken
 * has no weight, so that a result is not worse for a check that nobody asked for.
 */
export function confidenceOf(
  signals: ConfidenceSignals,
  retries: number,
  maxRetries: number,
): number {
  const { tier1_ratio, tier2_confidence, destructive, tool_success } = signals;
  const parts = [
    { weight: weights.tier1, value: tier1_ratio },
    ...(tier2_confidence === null ? [] : [{ weight: weights.tier2, value: tier2_confidence }]),
    { weight: weights.retries, value: maxRetries === 0 ? 1 : 1 - retries / maxRetries },
    { weight: weights.harmless, value: destructive ? 0 : 1 },
    { weight: weights.tools, value: tool_success },
  ];
  const used = parts.reduce((sum, { weight }) => sum + weight, 0);
  const score = parts.reduce((sum, { weight, value }) => sum + weight * withinOne(value), 0);
  // Sums of tenths are not exact, and a result must not miss its band by the last digit.
  return Math.round((score / used) * 1e9) / 1e9;
}

function withinOne(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** What becomes of a verified result, by the approval mode of its task (behaviours, A3). */
export type ResultCourse = 'proceed' | 'wait_with_timeout' | 'wait' | 'abort';

/** Weighs a result; `seenByPerson`: someone has already approved an action of the attempt. */
export function weighResult(
  policy: TaskPolicy['approval'],
  confidence: number,
  seenByPerson: boolean,
): ResultCourse {
  switch (policy.mode) {
    case 'manual':
      return seenByPerson ? 'proceed' : 'wait';
    case 'auto':
      return byBand(confidence);
    case 'confidence_threshold':
      return confidence >= policy.threshold ? 'proceed' : 'wait';
    case 'disabled':
      return 'proceed';
    default:
      return assertNever(policy.mode);
  }
}

function byBand(confidence: number): ResultCourse {
  if (confidence >= bands.proceed) return 'proceed';
  if (confidence >= bands.wait_with_timeout) return 'wait_with_timeout';
  return confidence >= bands.wait ? 'wait' : 'abort';
}
