import { firstLine } from '@loom/shared/text';
import { z } from 'zod';
import { plainText } from './plain-text.ts';
import type { StreamEvent } from './stream-event.ts';
import type { Colors } from './terminal.ts';

const planSchema = z.object({
  plan_version: z.number().default(1),
  reason: z.string().default(''),
  diff: z
    .object({ added: z.array(z.string()), changed: z.array(z.string()) })
    .default({ added: [], changed: [] }),
  subtasks: z.array(
    z.object({
      id: z.string(),
      description: z.string().default(''),
      depends_on: z.array(z.string()).default([]),
    }),
  ),
});

/** A plan as a list: what each subtask is for and what it waits for; of a later plan, what is new. */
export function renderPlan(event: StreamEvent, colors: Colors): string {
  const plan = planSchema.safeParse(event.data);
  if (!plan.success) return 'plan ready';
  const { subtasks, plan_version, reason, diff } = plan.data;
  const isFirst = plan_version <= 1;
  const width = Math.max(...subtasks.map(({ id }) => id.length), 0);
  const lines = subtasks.map(({ id, description, depends_on }, index) => {
    const branch = index === subtasks.length - 1 ? '└' : '├';
    const after = depends_on.length === 0 ? '' : ` (after ${depends_on.join(', ')})`;
    const text = plainText(`${firstLine(description, 70)}${after}`);
    const change = diff.added.includes(id) ? '+' : diff.changed.includes(id) ? '~' : ' ';
    const mark = isFirst ? '' : `${change} `;
    return `  ${colors.dim(branch)} ${mark}${plainText(id).padEnd(width)}  ${colors.dim(text)}`;
  });
  const count = subtasks.length === 1 ? '1 subtask' : `${subtasks.length} subtasks`;
  const title = isFirst ? 'plan' : `plan ${plan_version}`;
  const why = isFirst ? '' : ` (${plainText(reason.replaceAll('_', ' '))})`;
  return [`${colors.bold(title)} ${count}${why}`, ...lines].join('\n');
}
