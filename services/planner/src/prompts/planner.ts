import type { PlanBrief } from '@loom/db/load-plan-brief';
import type { ChatMessage } from '@loom/shared/chat';
import type { PlanError } from '@loom/shared/plan';
import { planFormat } from './plan-format.ts';
import { goalSections, guidanceSection, phasesSection } from './plan-sections.ts';

export const plannerPromptId = 'planner/2';

const role = `You are the planner. You break a goal into a graph of subtasks that workers carry out in parallel, each with tools for files and commands and with no knowledge of each other.
${planFormat}`;

/** What a planner is told: the goal as it was given, what was decided about it, and the phases it is bound to. */
export function plannerPrompt(
  brief: Pick<PlanBrief, 'goal' | 'context' | 'policy' | 'guidance'>,
): ChatMessage[] {
  const parts = [...goalSections(brief), ...guidanceSection(brief), ...phasesSection(brief)];
  return [
    { role: 'system', content: role },
    { role: 'user', content: parts.join('\n\n') },
  ];
}

/** What a planner is told of a plan that cannot run. */
export function planFeedback(errors: PlanError[] | null): ChatMessage {
  const problem =
    errors === null
      ? 'Your answer holds no JSON object with "subtasks" that can be read.'
      : `The plan cannot run:\n${errors.map(({ subtask_id, message }) => `- ${subtask_id}: ${message}`).join('\n')}`;
  return {
    role: 'user',
    content: `${problem}\nAnswer again with the whole corrected JSON object.`,
  };
}
