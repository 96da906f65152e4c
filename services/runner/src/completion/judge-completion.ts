import { AppError } from '@loom/shared/app-error';
import type { ChatMessage } from '@loom/shared/chat';
import type { Completion } from '@loom/shared/completion';
import { cutText } from '@loom/shared/text';
import type { ContractMode } from '../prompts/executor.ts';
import { readCompletion } from './read-completion.ts';

/** What a closing text comes to: the attempt ends, is asked to correct its text, or fails. */
export type ClosingJudgement =
  | { kind: 'end'; summary: string; discoveries: string[]; warning: string | null }
  | { kind: 'correct'; message: ChatMessage; problem: string }
  | { kind: 'fail'; failure: AppError };

export const maxCorrections = 3;
const maxFailureText = 4_000;
const opening = 'YOUR LAST TEXT CANNOT BE TAKEN AS THE END OF THE SUBTASK:';

/** Judges a closing text by the completion contract; the journal tells how often it was corrected. */
export function judgeCompletion(
  text: string,
  mode: ContractMode,
  journal: readonly ChatMessage[],
): ClosingJudgement {
  if (mode === 'off') return { kind: 'end', summary: text, discoveries: [], warning: null };
  const read = readCompletion(text);
  if (read.kind === 'valid') return judgeClaim(read.completion, read.around);
  const { problem } = read;
  if (mode === 'warn') return { kind: 'end', summary: text, discoveries: [], warning: problem };
  if (correctionsIn(journal) < maxCorrections) {
    return { kind: 'correct', message: correction(problem), problem };
  }
  const message = `The closing text had no usable completion block after ${maxCorrections} corrections: ${problem}.`;
  return { kind: 'fail', failure: new AppError('completion_missing', message) };
}

function judgeClaim(completion: Completion, around: string): ClosingJudgement {
  const { status, summary, discoveries } = completion;
  if (status === 'done') {
    const whole = around === '' ? summary : `${summary}\n\n${around}`;
    return { kind: 'end', summary: whole, discoveries, warning: null };
  }
  const code = status === 'partial' ? 'completion_partial' : 'completion_blocked';
  return { kind: 'fail', failure: new AppError(code, cutText(summary, maxFailureText)) };
}

function correctionsIn(journal: readonly ChatMessage[]): number {
  return journal.filter(({ role, content }) => role === 'user' && content.startsWith(opening))
    .length;
}

function correction(problem: string): ChatMessage {
  return {
    role: 'user',
    content: `${opening} ${problem}. If work remains, go on with it. If not, answer again with a fenced block \`\`\`completion that holds one JSON object with "status" and "summary", as asked for under HOW TO FINISH.`,
  };
}
