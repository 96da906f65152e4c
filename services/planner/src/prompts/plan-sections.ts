import type { PlanBrief } from '@loom/db/load-plan-brief';
import type { PlanSubtask } from '@loom/shared/plan';
import { cutText } from '@loom/shared/text';

const maxLine = 500;

/** The goal as it was given, and what the conversation decided about it. */
export function goalSections({ goal, context }: Pick<PlanBrief, 'goal' | 'context'>): string[] {
  const parts = [`GOAL:\n${goal}\nEND GOAL`];
  if (Object.keys(context).length > 0) {
    parts.push(`CONTEXT:\n${JSON.stringify(context, null, 2)}`);
  }
  return parts;
}

/** What people have said about the work since it began, whole. */
export function guidanceSection({ guidance }: Pick<PlanBrief, 'guidance'>): string[] {
  if (guidance.length === 0) return [];
  const items = guidance.map(({ guidance: text, subtask_id }) => {
    const about = subtask_id === null ? '' : `for ${subtask_id}: `;
    return `- ${about}${text.trim().replaceAll('\n', '\n  ')}`;
  });
  return [`GUIDANCE from a person, which the plan has to follow:\n${items.join('\n')}`];
}

const bonds = {
  guided:
    'The process prescribes these phases. Keep their ids and their order; depart from them only where the goal cannot be reached otherwise.',
  suggestive:
    'The process proposes these phases. Take what serves the goal, with the same ids, and change the rest.',
};

/** The phases of a process that leaves the planner some choice, and how much. */
export function phasesSection({ policy }: Pick<PlanBrief, 'policy'>): string[] {
  const { phase_mode, phases } = policy;
  if (phase_mode === null || phase_mode === 'strict' || phases.length === 0) return [];
  return [`PHASES:\n${planJson(phases)}\nEND PHASES\n${bonds[phase_mode]}`];
}

/** A plan as a planner answers with it, one subtask a line. */
export function planJson(subtasks: readonly PlanSubtask[]): string {
  return `{"subtasks": [\n${subtasks.map((spec) => JSON.stringify(spec)).join(',\n')}\n]}`;
}

/** A list under its name; nothing at all when it is empty. */
export function section(name: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`${name}:\n${lines.map((line) => `- ${oneLine(line)}`).join('\n')}`];
}

// What models and tools wrote must not look like another section.
function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= maxLine ? line : `${cutText(line, maxLine - 1)}…`;
}
