import { z } from 'zod';
import { approvalRenderers } from './render-events/approval.ts';
import { controlRenderers } from './render-events/control.ts';
import { attempt, detail, name, type Renderers, short, words } from './render-events/parts.ts';
import { repairRenderers } from './render-events/repair.ts';
import { toolRenderers } from './render-events/tools.ts';
import { renderPlan } from './render-plan.ts';
import { numberOf, type StreamEvent, textOf } from './stream-event.ts';
import type { Colors } from './terminal.ts';

const progressRenderers: Renderers = {
  'task.queued': (event, c) =>
    `${c.bold('task')} ${event.task_id ?? ''} ${c.dim(short(textOf(event, 'goal')))}`,
  'task.planning': (_, c) => c.dim('planning'),
  'task.plan_ready': renderPlan,
  'task.plan_degraded': (event, c) =>
    c.yellow(`! no usable plan, the goal runs as one subtask: ${short(textOf(event, 'reason'))}`),
  'task.plan_rejected': (event, c) => {
    const isFirst = (numberOf(event, 'plan_version') ?? 0) === 0;
    if (isFirst) return c.red('✗ the plan cannot run');
    return c.yellow(`! the new plan is not taken, the old one stands: ${faults(event)}`);
  },
  'task.completed': (event, c) => {
    const verification = textOf(event, 'verification');
    const line = `task completed, ${words(verification)}`;
    return verification === 'verified' ? c.green(`✓ ${line}`) : c.yellow(`! ${line}`);
  },
  'task.failed': (_, c) => c.red('✗ task failed'),
  'task.cancelled': (_, c) => c.yellow('✗ task cancelled'),
  'subtask.started': (event, c) => `${c.cyan('▸')} ${name(event)} started${attempt(event)}`,
  'subtask.verifying': (event, c) => `${c.dim('◌')} ${name(event)} done, being verified`,
  'subtask.completed': (event, c) => {
    const verdict = words(textOf(event, 'verification') || textOf(event, 'outcome'));
    return `${c.green('✓')} ${name(event)} completed, ${verdict}${detail(event, 'summary', c)}`;
  },
  'subtask.retrying': (event, c) => {
    const next = numberOf(event, 'next_attempt');
    return `${c.yellow('↻')} ${name(event)} tries again${next === null ? '' : ` (attempt ${next})`}`;
  },
  'subtask.failed': (event, c) =>
    `${c.red('✗')} ${name(event)} failed${detail(event, 'reason', c)}`,
  'subtask.skipped': (event, c) =>
    `${c.dim('-')} ${name(event)} skipped${detail(event, 'reason', c)}`,
  'subtask.blocked': (event, c) =>
    `${c.dim('-')} ${name(event)} blocked${detail(event, 'reason', c)}`,
  'subtask.starved': (event, c) =>
    `${c.yellow('!')} ${name(event)} waits for others that write the same file`,
  'verification.failed': (event, c) => {
    const reason = textOf(event, 'reason_code');
    return `${c.red('✗')} ${name(event)} not accepted (${reason})${detail(event, 'feedback', c)}`;
  },
  'run.recovered': (event, c) =>
    `${c.yellow('↺')} ${name(event)} taken over after its worker was lost`,
  'model.retry': (event, c) => c.dim(`  the model is asked again${detail(event, 'reason', c)}`),
};

const renderers: Renderers = {
  ...progressRenderers,
  ...controlRenderers,
  ...approvalRenderers,
  ...repairRenderers,
  ...toolRenderers,
};

/** One event of a task for people, or null when it would only be noise. */
export function renderTaskEvent(event: StreamEvent, colors: Colors): string | null {
  if (!Object.hasOwn(renderers, event.type)) return null;
  return renderers[event.type]?.(event, colors) ?? null;
}

const errorsSchema = z.array(z.object({ subtask_id: z.string(), message: z.string() }));

function faults(event: StreamEvent): string {
  const found = errorsSchema.safeParse(event.data.errors);
  if (!found.success) return 'it breaks the contract';
  return short(found.data.map(({ subtask_id, message }) => `${subtask_id}: ${message}`).join('; '));
}
