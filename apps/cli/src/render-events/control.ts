import { z } from 'zod';
import { numberOf, type StreamEvent, textOf } from '../stream-event.ts';
import type { Colors } from '../terminal.ts';
import { detail, duration, name, type Renderers, short, words } from './parts.ts';

const blockedSchema = z.array(z.object({ subtask_id: z.string(), reason: z.string() }));

/** What people asked of a task, what it ran into, and how it goes on. */
export const controlRenderers: Renderers = {
  'task.retried': (_, c) => c.yellow('↻ what failed runs again'),
  'task.cancel_requested': (_, c) => c.yellow('stopping'),
  'task.paused': (event, c) => {
    const why = textOf(event, 'reason') === 'budget' ? ' until its budget is raised' : '';
    return c.yellow(`‖ task paused${why}; go on with: loom resume ${event.task_id ?? '<task>'}`);
  },
  'task.resumed': (_, c) => `${c.cyan('▸')} task goes on`,
  'subtask.paused': (event, c) => `${c.yellow('‖')} ${name(event)} paused`,
  'subtask.resumed': (event, c) => `${c.cyan('▸')} ${name(event)} goes on`,
  'task.steered': (event, c) => {
    const to = short(textOf(event, 'subtask_id')) || 'the task';
    return `${c.cyan('»')} said to ${to}${detail(event, 'guidance', c)}`;
  },
  'task.steer_acknowledged': (event, c) =>
    c.dim(`  ${short(textOf(event, 'subtask_id')) || name(event)} has heard it`),
  'task.replanning': (event, c) => {
    const why = words(textOf(event, 'reason'));
    return c.yellow(`↻ the plan is looked at again (${why})`) + detail(event, 'detail', c);
  },
  'task.stalled': (event, c) => c.yellow(`! nothing can run: ${blocked(event)}`),
  'task.budget_exhausted': (event, c) => {
    const budget = words(textOf(event, 'budget')).replace(/^max /, '');
    const scope = words(textOf(event, 'scope') || 'task');
    const used = `${numberOf(event, 'used') ?? '?'} of ${numberOf(event, 'limit') ?? '?'}`;
    return c.yellow(`! the ${scope}'s budget is spent: ${budget}, ${used}`);
  },
  'task.budget_raised': (_, c) => `${c.cyan('▸')} budget raised`,
  'model.parked': parked,
  'turn.parked': parked,
};

function parked(event: StreamEvent, colors: Colors): string {
  const seconds = numberOf(event, 'seconds');
  const model = short(textOf(event, 'model')) || 'the model';
  const time = seconds === null ? '' : `, asks again in ${duration(seconds)}`;
  const line = `${name(event)} waits for ${model}${time}`;
  return `${colors.yellow('◌')} ${line}${detail(event, 'reason', colors)}`;
}

function blocked(event: StreamEvent): string {
  const found = blockedSchema.safeParse(event.data.blocked);
  if (!found.success) return 'everything waits for something else';
  return short(found.data.map(({ subtask_id, reason }) => `${subtask_id} ${reason}`).join('; '));
}
