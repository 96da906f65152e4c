import type { AttemptBrief } from '@loom/db/load-attempt';
import type { ClaimedUnit } from '@loom/shared/work';
import { createWritePolicy, type WritePolicy } from './create-write-policy.ts';

/** The write policy of an attempt: it binds retries and remediations, never a first attempt. */
export function attemptWritePolicy(
  { attempt }: Pick<ClaimedUnit, 'attempt'>,
  { spec, siblings, files_changed_before, task, remediation }: AttemptBrief,
): WritePolicy {
  return createWritePolicy({
    repairs: (attempt ?? 1) > 1 || remediation !== null,
    workspace: task.workspace,
    deliverables: spec.deliverables,
    others: siblings.filter(({ id }) => id !== spec.id).flatMap(({ deliverables }) => deliverables),
    files_changed_before,
  });
}
