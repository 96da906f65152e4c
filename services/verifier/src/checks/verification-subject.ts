import type { RecordedCall } from '@loom/db/load-attempt';
import type { PlanSubtask } from '@loom/shared/plan';

/** What is judged: what was asked for, what was recorded, and where the files lie. */
export interface VerificationSubject {
  spec: PlanSubtask;
  calls: readonly RecordedCall[];
  /** Files that the recorded calls changed, relative to the workspace. */
  files_changed: readonly string[];
  workspace: string | null;
  /** Directories beside the workspace that declared commands may read. */
  read_roots: readonly string[];
}
