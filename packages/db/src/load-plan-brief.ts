import type { Failure } from '@loom/shared/api';
import type { PlanSubtask } from '@loom/shared/plan';
import type { SubtaskStatus } from '@loom/shared/statuses';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type { Guidance, StopMode, TaskCourse } from '@loom/shared/task-state';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';

/** A subtask of the plan there is, as a planner sees it. */
export interface PlannedSubtask {
  spec: PlanSubtask;
  status: SubtaskStatus;
  attempts: number;
  summary: string | null;
  error: Failure | null;
  feedback: string | null;
}

/** Everything a planner may see: the goal and structured state, never a conversation. */
export interface PlanBrief {
  goal: string;
  context: Record<string, unknown>;
  workspace: string | null;
  plan_version: number;
  plan_attempts: number;
  policy: TaskPolicy;
  /** Why there is a plan to be made anew; null for the first one. */
  replan: Pick<NonNullable<TaskCourse['replan']>, 'reason' | 'detail'> | null;
  guidance: Guidance[];
  /** The receipts of the guidance that an earlier plan has taken in. */
  acknowledged: string[];
  discoveries: TaskCourse['discoveries'];
  errors: Failure[];
  subtasks: PlannedSubtask[];
  /** Someone asked the task to stop. */
  stopping: boolean;
  /** Someone paused the task. */
  pausing: boolean;
  /** Times in a row that this unit parked for its model. */
  model_parks: number;
}

type FromCourse = 'replan' | 'guidance' | 'discoveries' | 'pausing' | 'stopping';

type PlanRow = Omit<PlanBrief, FromCourse> & {
  course: Partial<TaskCourse> | null;
  cancel_mode: StopMode | null;
};

/** Loads what the planner of this unit may see; null when the task is gone. */
export async function loadPlanBrief(
  db: Database,
  unit: Pick<ClaimedUnit, 'unit_id' | 'task_id' | 'tenant_id'>,
): Promise<PlanBrief | null> {
  const { rows } = await db.pool.query<PlanRow>({
    name: 'load-plan-brief',
    text: `SELECT t.goal, t.context, t.workspace, t.plan_version, t.plan_attempts, p.policy, t.course, t.errors,
        t.cancel_mode, u.model_parks,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('spec', s.spec, 'status', s.status, 'attempts', s.attempts,
            'summary', s.summary, 'error', s.error, 'feedback', s.feedback) ORDER BY s.position), '[]')
          FROM subtasks s WHERE s.task_id = t.id) AS subtasks,
        ARRAY(SELECT e.data->>'receipt_id' FROM events e WHERE e.task_id = t.id
            AND e.type = 'task.steer_acknowledged' AND e.data->>'by' = 'planner') AS acknowledged
      FROM units u
      JOIN tasks t ON t.id = u.task_id AND t.tenant_id = u.tenant_id
      JOIN policies p ON p.id = t.policy_id
      WHERE u.id = $1 AND u.task_id = $2 AND u.tenant_id = $3`,
    values: [unit.unit_id, unit.task_id, unit.tenant_id],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { course, cancel_mode, ...brief } = row;
  const replan = course?.replan ?? null;
  return {
    ...brief,
    replan: replan === null ? null : { reason: replan.reason, detail: replan.detail },
    guidance: course?.guidance ?? [],
    discoveries: course?.discoveries ?? [],
    stopping: cancel_mode !== null,
    pausing: (course?.paused ?? null) !== null,
  };
}
