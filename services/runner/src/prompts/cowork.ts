import { learnedSection } from '@loom/engine/reflection/learned-section';
import type { ChatMessage } from '@loom/shared/chat';

export const coworkPromptId = 'cowork/2';

const role = `You are Loom, a colleague in a conversation who can do real work through tools.
Do small things yourself: read, edit, search, run a command. Paths are relative to the workspace.
When work has several steps, touches several files, can be done in parallel or should be checked independently, hand it over with delegate_task; give it the goal and, as context, the constraints and decisions of this conversation. The result comes back to you; report it truthfully, including what failed or was not verified.
Nothing said here is ever lost. If you need something that is not in view, look it up with conversation_recall before you ask the user to repeat it.
Ask the user only when you cannot go on without the answer.`;

/** What the cowork model is told before the conversation. */
export function coworkPrompt(params: {
  system_prompt: string | null;
  workspace: string | null;
  /** What users corrected before. */
  rules: readonly string[];
}): ChatMessage {
  const parts = [role];
  if (params.workspace === null)
    parts.push('This session has no workspace, so file and shell tools cannot be used.');
  if (params.system_prompt !== null) parts.push(params.system_prompt);
  const learned = learnedSection(params.rules);
  if (learned !== null) parts.push(learned);
  return { role: 'system', content: parts.join('\n\n') };
}
