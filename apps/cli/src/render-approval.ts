import { type Approval, approvalSchema } from '@loom/shared/approval';
import { firstLine } from '@loom/shared/text';
import { plainText } from './plain-text.ts';
import { showArguments } from './show-arguments.ts';

type Question = Pick<Approval, 'kind' | 'tool' | 'arguments' | 'reason' | 'subtask_id'>;

/** What an event says of a question. */
export const questionSchema = approvalSchema.pick({
  kind: true,
  tool: true,
  arguments: true,
  reason: true,
});

/** What is asked, on one line. */
export function describeApproval(question: Question): string {
  const { tool, reason, subtask_id } = question;
  const of = subtask_id === null ? '' : `${subtask_id}: `;
  const call = tool === null ? '' : `${tool} ${showArguments(question.arguments)} `;
  const why = firstLine(reason, 160);
  return plainText(`${of}${call}${call === '' ? why : `(${why})`}`);
}

/** How to answer it from a shell. */
export function answerCommands(approvalId: string): string {
  const id = plainText(approvalId);
  return `loom approve ${id}   or   loom approve ${id} --deny`;
}
