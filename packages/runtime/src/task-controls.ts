import { AppError } from '@loom/shared/app-error';
import { newId } from '@loom/shared/ids';
import type { Caller, Intake } from '@loom/shared/intake';
import type { TaskInput } from '@loom/shared/task-state';
import type { Runtime } from './create-runtime.ts';

type TaskControls = Pick<
  Intake,
  'stopTask' | 'pauseTask' | 'resumeTask' | 'steerTask' | 'replanTask' | 'skipSubtask' | 'retryTask'
>;

/** What people may ask of a running task: each request is one input for the engine. */
export function taskControls(runtime: Runtime): TaskControls {
  const control = async (caller: Caller, task_id: string, input: TaskInput): Promise<void> => {
    const change = { kind: 'control', task_id, tenant_id: caller.tenant_id, input } as const;
    const { outcome } = await runtime.committer.add(change);
    if (outcome === 'refused') throw new AppError('not_found', `There is no task ${task_id}.`);
  };

  return {
    stopTask: (caller, taskId, mode) =>
      control(caller, taskId, { kind: 'stop_requested', mode, by: caller.actor }),
    pauseTask: (caller, taskId, subtask_id) =>
      control(caller, taskId, { kind: 'pause_requested', subtask_id, by: caller.actor }),
    resumeTask: (caller, taskId, { subtask_id, limits }) =>
      control(caller, taskId, { kind: 'resume_requested', subtask_id, by: caller.actor, limits }),
    steerTask: async (caller, taskId, { guidance, subtask_id }) => {
      const id = newId('str');
      const by = caller.actor;
      await control(caller, taskId, {
        kind: 'steer_requested',
        guidance: { id, guidance, subtask_id },
        by,
      });
      return { receipt_id: id };
    },
    replanTask: (caller, taskId, reason) =>
      control(caller, taskId, { kind: 'replan_requested', by: caller.actor, reason }),
    skipSubtask: (caller, taskId, subtask_id, mode) =>
      control(caller, taskId, {
        kind: 'subtask_stop_requested',
        subtask_id,
        mode,
        by: caller.actor,
      }),
    retryTask: (caller, taskId, { reuse_existing_plan, ...options }) =>
      control(caller, taskId, {
        kind: 'retry_requested',
        by: caller.actor,
        reuse_plan: reuse_existing_plan,
        ...options,
      }),
  };
}
