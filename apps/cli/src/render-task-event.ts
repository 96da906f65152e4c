import { firstLine } from '@loom/shared/text';
import { plainText } from './plain-text.ts';
import { renderPlan } from './render-plan.ts';
import { numberOf, type StreamEvent, textOf } from './stream-event.ts';
import type { Colors } from './terminal.ts';

const lineWidth = 100;

type Render = (event: StreamEvent, colors: Colors) => string;

const renderers: Record<string, Render> = {
  'task.queued': (event, c) =>
    `${c.bold('task')} ${event.task_id ?? ''} ${c.dim(short(textOf(event, 'goal')))}`,
  'task.planning': (_, c) => c.dim('planning'),
  'task.plan_ready': renderPlan,
  'task.plan_degraded': (event, c) =>
    c.yellow(`! no usable plan, the goal runs as one subtask: ${short(textOf(event, 'reason'))}`),
  'task.plan_rejected': (_, c) => c.red('✗ the plan cannot run'),
  'task.retried': (_, c) => c.yellow('↻ what failed runs again'),
  'task.cancel_requested': (_, c) => c.yellow('stopping'),
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
  'tool.in_doubt': (event, c) =>
    c.yellow(`! ${name(event)}: nobody knows whether a call of ${toolOf(event)} took effect`),
  'tool.error': (event, c) => c.dim(`  ${name(event)}: ${toolOf(event)} failed`),
  'model.retry': (event, c) => c.dim(`  the model is asked again${detail(event, 'reason', c)}`),
};

/** One event of a task for people, or null when it would only be noise. */
export function renderTaskEvent(event: StreamEvent, colors: Colors): string | null {
  if (!Object.hasOwn(renderers, event.type)) return null;
  return renderers[event.type]?.(event, colors) ?? null;
}

function name(event: StreamEvent): string {
  return plainText(event.subtask_id ?? 'task');
}

function attempt(event: StreamEvent): string {
  return event.attempt && event.attempt > 1 ? ` (attempt ${event.attempt})` : '';
}

function toolOf(event: StreamEvent): string {
  return plainText(textOf(event, 'tool') || textOf(event, 'name') || 'a tool');
}

function detail(event: StreamEvent, key: string, colors: Colors): string {
  const text = short(textOf(event, key));
  return text === '' ? '' : colors.dim(`: ${text}`);
}

function short(text: string): string {
  return plainText(firstLine(text, lineWidth));
}

function words(status: string): string {
  return plainText(status.replaceAll('_', ' '));
}
