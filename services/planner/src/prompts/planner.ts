import type { TaskBrief } from '@loom/db/load-attempt';
import type { ChatMessage } from '@loom/shared/chat';
import type { PlanError } from '@loom/shared/plan';

export const plannerPromptId = 'planner/1';

const role = `You are the planner. You break a goal into a graph of subtasks that workers carry out in parallel, each with tools for files and commands and with no knowledge of each other.
Answer with one JSON object and nothing else:
{"subtasks": [{"id": "short-slug", "description": "what to do, complete in itself", "depends_on": [], "model_tier": 1, "verification_tier": 1, "is_critical_path": false, "is_synthesis": false, "max_retries": 3, "acceptance_criteria": ["…"], "deliverables": ["path/in/workspace"], "checks": ["a command that must succeed"]}]}
Only id and description are required.
- Make subtasks independent wherever the work allows it; use depends_on only for real needs.
- Name every file a subtask makes in deliverables. No two subtasks write the same file unless one depends on the other.
- model_tier: 1 simple, 2 medium, 3 hard. verification_tier: 1 when files, syntax and commands tell enough; 2 when the content must be judged.
- A synthesis (is_synthesis) brings results together at the very end; nothing depends on it, and there is at most one.
- As few subtasks as the goal needs.`;

/** What a planner is told: the goal as it was given, and what the conversation decided about it. */
export function plannerPrompt(task: TaskBrief): ChatMessage[] {
  const parts = [`GOAL:\n${task.goal}\nEND GOAL`];
  if (Object.keys(task.context).length > 0) {
    parts.push(`CONTEXT:\n${JSON.stringify(task.context, null, 2)}`);
  }
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
