import type { NewTask } from '@loom/shared/intake';
import { type Plan, type PlanSubtask, planSchema, planSubtaskSchema } from '@loom/shared/plan';
import type { z } from 'zod';

/** A subtask as a planner may write it: only id and description are needed. */
export type SubtaskInput = z.input<typeof planSubtaskSchema>;

/** A subtask with every default filled in. */
export function subtask(id: string, fields: Partial<SubtaskInput> = {}): PlanSubtask {
  return planSubtaskSchema.parse({ id, description: `Do ${id}.`, ...fields });
}

/** A plan of these subtasks. */
export function plan(...subtasks: SubtaskInput[]): Plan {
  return planSchema.parse({ subtasks });
}

/** `count` independent subtasks, each with a file of its own, and a synthesis if wanted. */
export function parallelPlan(count: number, options: { synthesis?: boolean } = {}): Plan {
  const parts = Array.from({ length: count }, (_, i) =>
    subtask(`part-${i + 1}`, { deliverables: [`part-${i + 1}.txt`] }),
  );
  const synthesis = subtask('summary', {
    depends_on: parts.map((part) => part.id),
    is_synthesis: true,
    deliverables: ['summary.md'],
  });
  return plan(...parts, ...(options.synthesis ? [synthesis] : []));
}

/** `count` subtasks of which each waits for the one before. */
export function chainPlan(count: number): Plan {
  const steps = Array.from({ length: count }, (_, i) =>
    subtask(`step-${i + 1}`, {
      depends_on: i === 0 ? [] : [`step-${i}`],
      deliverables: [`step-${i + 1}.txt`],
    }),
  );
  return plan(...steps);
}

/** A task that needs nothing. */
export function newTask(overrides: Partial<NewTask> = {}): NewTask {
  return {
    goal: 'test',
    context: {},
    workspace: null,
    process: null,
    approval_mode: null,
    phase_mode: null,
    phases: [],
    critical_path_behavior: null,
    callback_url: null,
    budget: {},
    metadata: {},
    session_id: null,
    plan: null,
    ...overrides,
  };
}
