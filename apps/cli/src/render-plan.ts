import { firstLine } from '@loom/shared/text';
import { z } from 'zod';
import { plainText } from './plain-text.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Colors } from './terminal.ts';

const planSchema = z.object({
  subtasks: z.array(
    z.object({
      id: z.string(),
      description: z.string().default(''),
      depends_on: z.array(z.string()).default([]),
    }),
  ),
});

/** A plan as a list: what each subtask is for and what it waits for. */
export function renderPlan(event: StreamEvent, colors: Colors): string {
  const plan = planSchema.safeParse(event.data);
  if (!plan.success) return 'plan ready';
  const { subtasks } = plan.data;
  const width = Math.max(...subtasks.map(({ id }) => id.length), 0);
  const lines = subtasks.map(({ id, description, depends_on }, index) => {
    const branch = index === subtasks.length - 1 ? '└' : '├';
    const after = depends_on.length === 0 ? '' : ` (after ${depends_on.join(', ')})`;
    const text = plainText(`${firstLine(description, 70)}${after}`);
    return `  ${colors.dim(branch)} ${plainText(id).padEnd(width)}  ${colors.dim(text)}`;
  });
  const count = subtasks.length === 1 ? '1 subtask' : `${subtasks.length} subtasks`;
  return [`${colors.bold('plan')} ${count}`, ...lines].join('\n');
}
