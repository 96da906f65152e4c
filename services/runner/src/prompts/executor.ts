import type { AttemptBrief } from '@loom/db/load-attempt';
import type { ChatMessage } from '@loom/shared/chat';
import { cutText } from '@loom/shared/text';

export const executorPromptId = 'executor/1';

const role = `You carry out one subtask of a larger task. Use the tools to do the work; do not only describe it.
All paths are relative to the workspace. Do only your subtask: others take care of the rest.
When it is done, answer in plain text without a tool call: what you did, which files you made or changed, and what you could not do. Claim nothing that you have not done; your result is checked against the files and the record of your calls.`;

/** What an executor is told: the stable part first, then its subtask. */
export function executorPrompt(brief: AttemptBrief): ChatMessage[] {
  return [
    { role: 'system', content: role },
    { role: 'user', content: sections(brief).join('\n\n') },
  ];
}

function sections(brief: AttemptBrief): string[] {
  const { spec, task } = brief;
  const parts = [`TASK: ${task.goal}`];
  if (Object.keys(task.context).length > 0) {
    parts.push(`CONTEXT: ${JSON.stringify(task.context)}`);
  }
  parts.push(`SUBTASK:\n${spec.description}\nEND SUBTASK`);
  if (spec.acceptance_criteria.length > 0) {
    parts.push(`ACCEPTANCE CRITERIA:\n${bullets(spec.acceptance_criteria)}`);
  }
  if (spec.deliverables.length > 0) parts.push(`DELIVERABLES:\n${bullets(spec.deliverables)}`);
  const inputs = inputsOf(brief);
  if (inputs.files.length > 0) parts.push(`INPUTS:\n${bullets(inputs.files)}`);
  if (inputs.results.length > 0) parts.push(`RESULTS SO FAR:\n${inputs.results.join('\n')}`);
  if (brief.feedback !== null) {
    parts.push(
      `AN EARLIER ATTEMPT WAS NOT ACCEPTED:\n${brief.feedback}\nIts files are still in the workspace. Correct them in place; make no copies.`,
    );
  }
  return parts;
}

/** A synthesis sees every result; any other subtask those it depends on. */
function inputsOf({ spec, siblings }: AttemptBrief): { files: string[]; results: string[] } {
  const sources = siblings.filter(
    ({ id, status }) =>
      status === 'completed' &&
      id !== spec.id &&
      (spec.is_synthesis || spec.depends_on.includes(id)),
  );
  return {
    files: sources.flatMap(({ deliverables }) => deliverables),
    results: sources.map(({ id, summary }) => `- ${id}: ${cutText(summary ?? '', 1_000)}`),
  };
}

function bullets(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** Said after every batch of tool results, so that the goal stays in sight. */
export function executorReminder(brief: AttemptBrief): ChatMessage {
  const { spec, task } = brief;
  return {
    role: 'system',
    content: `Goal of the task: ${cutText(task.goal, 500)}
Your subtask: ${spec.id} — ${cutText(spec.description, 500)}
Go on with what remains of this subtask, and only of this one. When nothing remains, answer in plain text with a summary.`,
  };
}
