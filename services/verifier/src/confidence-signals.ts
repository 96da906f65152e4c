import type { RecordedCall } from '@loom/db/load-attempt';
import { isDestructive } from '@loom/engine/approval-gate';
import type { ConfidenceSignals } from '@loom/shared/task-state';
import type { CheckResult, Verdict } from '@loom/shared/verdict';

/** What of an attempt speaks for its result beside the verdict: its checks, its calls, what a model thought. */
export function confidenceSignals(
  verdict: Pick<Verdict, 'tier' | 'confidence'>,
  checks: readonly CheckResult[],
  calls: readonly RecordedCall[],
): ConfidenceSignals {
  // A look that found nothing counts once, among the calls: it is no check of the work that failed.
  const binding = checks.filter(({ name, advisory }) => name !== 'tool_success' || !advisory);
  return {
    tier1_ratio: share(binding, ({ passed }) => passed),
    tier2_confidence: verdict.tier >= 2 ? verdict.confidence : null,
    tool_success: share(calls, ({ status }) => status === 'done'),
    destructive: calls.some((call) => isDestructive(call.tool, call.arguments)),
  };
}

/** The part of a list that holds; all of it when it is empty. */
function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 1 : items.filter(holds).length / items.length;
}
