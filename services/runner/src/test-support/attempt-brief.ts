import type { AttemptBrief } from '@loom/db/load-attempt';
import { noGrants } from '@loom/db/session-grants';
import { planSubtaskSchema } from '@loom/shared/plan';
import { emptyTrail } from '@loom/shared/task-course';

/** The brief of a first attempt of which nothing special is known. */
export function attemptBrief(overrides: Partial<AttemptBrief> = {}): AttemptBrief {
  return {
    task: { goal: 'Compare A and B', context: {}, workspace: '/w', read_roots: [] },
    spec: planSubtaskSchema.parse({ id: 'write-a', description: 'Write a.md about A' }),
    feedback: null,
    error: null,
    tier: 1,
    model: null,
    summary: null,
    files_changed: [],
    started_at: new Date(0),
    calls: [],
    siblings: [],
    trail: emptyTrail,
    files_changed_before: [],
    memory: [],
    remediation: null,
    guidance: [],
    discoveries: [],
    stopping: false,
    pausing: false,
    approval_policy: {
      mode: 'auto',
      threshold: 0.8,
      timeout_seconds: 3_600,
      objection_seconds: 10,
      on_timeout: 'deny',
    },
    allowed_tools: [],
    granted: noGrants,
    approvals: [],
    parked_seconds: 0,
    model_parks: 0,
    ...overrides,
  };
}
