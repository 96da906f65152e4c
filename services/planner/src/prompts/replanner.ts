import type { PlanBrief, PlannedSubtask } from '@loom/db/load-plan-brief';
import type { ChatMessage } from '@loom/shared/chat';
import type { ReplanReason } from '@loom/shared/task-state';
import { planFormat } from './plan-format.ts';
import {
  goalSections,
  guidanceSection,
  phasesSection,
  planJson,
  section,
} from './plan-sections.ts';

export const replannerPromptId = 'replanner/1';

const maxErrors = 20;

const role = `You are the planner of work that is under way. You look at what was done, what failed and what came to light, and give the plan as it should be from now on.
${planFormat}
This is a new version of a plan, so:
- Answer with the whole plan. Every subtask of the current plan stays in it under its id; leave none out.
- What is completed is done: repeat it as it is. Others may depend on it.
- Repeat word for word whatever needs no change, with all of its fields.
- A failed subtask may be described in another way, checked in another way, or given predecessors that remove the cause of its failure. Left as it is, it would fail again.
- New subtasks get ids of their own.
- Change no more than the reason calls for.`;

const reasons: Record<ReplanReason, string> = {
  subtask_failed: 'A subtask failed',
  discovery: 'Something came to light that the plan does not know of',
  interval: 'Several subtasks were completed since the plan was last looked at',
  steered: 'A person gave guidance',
  requested: 'A person asked for another plan',
  stalled: 'Work is left, but nothing of it can run',
};

/** What a planner is told of work under way: its state, why the plan is in question, and the plan. */
export function replannerPrompt(
  brief: Pick<
    PlanBrief,
    'goal' | 'context' | 'policy' | 'guidance' | 'replan' | 'discoveries' | 'errors' | 'subtasks'
  >,
): ChatMessage[] {
  const { replan, subtasks, discoveries, errors } = brief;
  const parts = [
    ...goalSections(brief),
    ...(replan === null ? [] : section('REASON', [reasonOf(replan)])),
    ...section('STATE', subtasks.map(stateOf)),
    ...section(
      'DISCOVERIES',
      discoveries.map(({ subtask_id, summary }) => `${subtask_id}: ${summary}`),
    ),
    ...section(
      'ERRORS',
      errors
        .slice(-maxErrors)
        .map(({ code, message, subtask_id }) => `${subtask_id ?? 'task'}: ${code}: ${message}`),
    ),
    ...guidanceSection(brief),
    ...phasesSection(brief),
    `PLAN:\n${planJson(subtasks.map(({ spec }) => spec))}\nEND PLAN`,
  ];
  return [
    { role: 'system', content: role },
    { role: 'user', content: parts.join('\n\n') },
  ];
}

function reasonOf({ reason, detail }: NonNullable<PlanBrief['replan']>): string {
  return detail.trim() === '' ? `${reasons[reason]}.` : `${reasons[reason]}: ${detail}`;
}

function stateOf({ spec, status, attempts, summary, error, feedback }: PlannedSubtask): string {
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  const said = error?.message ?? summary ?? feedback ?? '';
  return `${spec.id} [${status}${tries}]${said === '' ? '' : `: ${said}`}`;
}
