import { taskSchema } from '@loom/shared/api';
import { budgetSchema } from '@loom/shared/budget';
import { storableString } from '@loom/shared/text';
import { z } from 'zod';
import { toCaller } from '../access.ts';
import { requireOpen, requirePaused, requirePlanned, requireRetryable } from '../control-rules.ts';
import { controlTask, requireState } from '../control-task.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { requireTask } from '../require-task.ts';
import { addRoute, type GatewayApp } from '../route.ts';

const steerSchema = z.strictObject({
  guidance: storableString({ min: 1, max: 20_000 }).refine((text) => text.trim() !== '', {
    message: 'must say something',
  }),
  subtask_id: z.string().max(64).optional(),
});

const receiptSchema = z.object({
  receipt_id: z.string(),
  task_id: z.string(),
  subtask_id: z.string().nullable(),
});

/** Stopping, pausing, steering and repairing tasks. */
export function addTaskControlRoutes(app: GatewayApp, { db, intake }: GatewayParts): void {
  const common = { tag: 'Tasks', access: 'user', method: 'post', status: 202 } as const;
  const shown = { ...common, response: taskSchema };

  for (const mode of ['cancel', 'abort'] as const) {
    const summary = mode === 'cancel' ? 'Let running subtasks wrap up' : 'Stop everything now';
    // Asked after the end too: then it is harmless, and says how the task ended.
    addRoute(app, { ...shown, path: `/api/tasks/{id}/${mode}`, summary }, async (c, { params }) => {
      const caller = toCaller(c.get('identity'));
      await intake.stopTask(caller, params.id, mode);
      return c.json(await requireTask(db, caller, params.id), 202);
    });
  }

  addRoute(
    app,
    {
      ...shown,
      path: '/api/tasks/{id}/pause',
      summary: 'Start nothing new; what runs stops at its next step',
      body: z.strictObject({}),
    },
    (c, { params: { id } }) =>
      controlTask(c, db, {
        task_id: id,
        check: (state) => requireOpen(state, null),
        ask: (caller) => intake.pauseTask(caller, id, null),
      }),
  );

  addRoute(
    app,
    {
      ...shown,
      path: '/api/tasks/{id}/resume',
      summary: 'Go on with a paused task; `budget` replaces limits that it ran into',
      body: z.strictObject({ budget: budgetSchema.optional() }),
    },
    (c, { params: { id }, body: { budget: limits = null } }) =>
      controlTask(c, db, {
        task_id: id,
        check: (state) => requirePaused(state, null),
        ask: (caller) => intake.resumeTask(caller, id, { subtask_id: null, limits }),
      }),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/tasks/{id}/steer',
      summary: 'Say something to a running task or one subtask; events acknowledge the receipt',
      body: steerSchema,
      response: receiptSchema,
    },
    async (c, { params: { id }, body: { guidance, subtask_id = null } }) => {
      const caller = toCaller(c.get('identity'));
      requireOpen(await requireState(db, caller, id), subtask_id);
      const { receipt_id } = await intake.steerTask(caller, id, { guidance, subtask_id });
      return c.json({ receipt_id, task_id: id, subtask_id }, 202);
    },
  );

  addRoute(
    app,
    {
      ...shown,
      path: '/api/tasks/{id}/replan',
      summary: 'Have the plan looked at again; finished results stay',
      body: z.strictObject({ reason: storableString({ max: 4_000 }).default('') }),
    },
    (c, { params: { id }, body: { reason } }) =>
      controlTask(c, db, {
        task_id: id,
        check: requirePlanned,
        ask: (caller) => intake.replanTask(caller, id, reason),
      }),
  );

  addRoute(
    app,
    {
      ...shown,
      path: '/api/tasks/{id}/retry',
      summary: 'Run again what failed, and only that',
      body: z.strictObject({ reuse_existing_plan: z.boolean().default(true) }),
    },
    (c, { params: { id }, body }) =>
      controlTask(c, db, {
        task_id: id,
        check: (state) => requireRetryable(state, null),
        ask: (caller) => intake.retryTask(caller, id, { subtask_id: null, ...body }),
      }),
  );
}
