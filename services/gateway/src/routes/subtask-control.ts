import { taskSchema } from '@loom/shared/api';
import { planSubtaskSchema } from '@loom/shared/plan';
import { z } from 'zod';
import { requireOpen, requirePaused, requireRetryable } from '../control-rules.ts';
import { controlTask } from '../control-task.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { addRoute, type GatewayApp } from '../route.ts';

const { description, model_tier } = planSubtaskSchema.shape;

/** The same for one subtask: retrying, skipping, pausing it. */
export function addSubtaskControlRoutes(app: GatewayApp, { db, intake }: GatewayParts): void {
  const common = {
    tag: 'Tasks',
    access: 'user',
    method: 'post',
    status: 202,
    response: taskSchema,
  } as const;

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/subtasks/{subtask_id}/retry',
      summary: 'Run one failed subtask again, if need be with other words or a larger model',
      body: z.strictObject({
        description: description.optional(),
        model_tier: model_tier.unwrap().optional(),
      }),
    },
    (c, { params: { id, subtask_id }, body }) => {
      const options = { subtask_id, reuse_existing_plan: true, ...body };
      return controlTask(c, db, {
        task_id: id,
        check: (state) => requireRetryable(state, subtask_id),
        ask: (caller) => intake.retryTask(caller, id, options),
      });
    },
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/subtasks/{subtask_id}/skip',
      summary: 'End one subtask without a result; `abort` does not let it wrap up',
      body: z.strictObject({ mode: z.enum(['cancel', 'abort']).default('cancel') }),
    },
    (c, { params: { id, subtask_id }, body: { mode } }) =>
      controlTask(c, db, {
        task_id: id,
        check: (state) => requireOpen(state, subtask_id),
        ask: (caller) => intake.skipSubtask(caller, id, subtask_id, mode),
      }),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/subtasks/{subtask_id}/pause',
      summary: 'Hold one subtask back at its next step',
      body: z.strictObject({}),
    },
    (c, { params: { id, subtask_id } }) =>
      controlTask(c, db, {
        task_id: id,
        check: (state) => requireOpen(state, subtask_id),
        ask: (caller) => intake.pauseTask(caller, id, subtask_id),
      }),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/subtasks/{subtask_id}/resume',
      summary: 'Go on with a paused subtask',
      body: z.strictObject({}),
    },
    (c, { params: { id, subtask_id } }) =>
      controlTask(c, db, {
        task_id: id,
        check: (state) => requirePaused(state, subtask_id),
        ask: (caller) => intake.resumeTask(caller, id, { subtask_id, limits: null }),
      }),
  );
}
