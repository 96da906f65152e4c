import { type AttemptBrief, readableRoots } from '@loom/db/load-attempt';
import { retryContext } from '@loom/engine/retry-context';
import type { ChatMessage } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { cutText } from '@loom/shared/text';
import { completionContract } from '../completion/completion-contract.ts';

export const executorPromptId = 'executor/3';

/** Whether a closing text must hold a completion block. */
export type ContractMode = Config['execution']['executor_completion_contract_mode'];

const role = `You carry out one subtask of a larger task. Use the tools to do the work; do not only describe it.
All paths are relative to the workspace. Do only your subtask: others take care of the rest.
When it is done, answer in plain text without a tool call: what you did, which files you made or changed, and what you could not do. Claim nothing that you have not done; your result is checked against the files and the record of your calls.`;

/**
 * What an executor is told, from what changes least to what changes most: the role is the same for
 * all, then comes what all subtasks of a task share, then the subtask. So providers can keep the beginning.
 */
export function executorPrompt(brief: AttemptBrief, mode: ContractMode): ChatMessage[] {
  const sections = [...taskSections(brief), ...subtaskSections(brief)];
  if (mode !== 'off') sections.push(completionContract);
  return [
    { role: 'system', content: role },
    { role: 'user', content: sections.join('\n\n') },
  ];
}

function taskSections({ task, granted }: AttemptBrief): string[] {
  return [
    `TASK: ${task.goal}`,
    ...(Object.keys(task.context).length > 0 ? [`CONTEXT: ${JSON.stringify(task.context)}`] : []),
    ...listed('READABLE BESIDE THE WORKSPACE, by absolute path', readableRoots(task, granted)),
  ];
}

function subtaskSections(brief: AttemptBrief): string[] {
  const { spec, trail } = brief;
  const inputs = inputsOf(brief);
  const earlier = retryContext({
    feedback: brief.feedback,
    error: brief.error,
    strategy: trail.strategy,
    missing_targets: trail.missing_targets,
    files_changed: brief.files_changed_before,
    deliverables: spec.deliverables,
    confirmations: trail.confirmations,
    remediation: brief.remediation,
  });
  return [
    `SUBTASK:\n${spec.description}\nEND SUBTASK`,
    ...listed('ACCEPTANCE CRITERIA', spec.acceptance_criteria),
    ...listed('DELIVERABLES', spec.deliverables),
    ...listed('INPUTS', inputs.files),
    ...listed('RESULTS SO FAR', inputs.results),
    ...listed('KNOWN FROM EARLIER WORK', memoryLines(brief.memory)),
    ...(earlier === null ? [] : [earlier]),
  ];
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
    results: sources.map(({ id, summary }) => `${id}: ${cutText(summary ?? '', 1_000)}`),
  };
}

function memoryLines(memory: readonly { type: string; summary: string }[]): string[] {
  return memory.map(({ type, summary }) => `${type}: ${summary.replaceAll(/\s+/g, ' ')}`);
}

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`];
}
