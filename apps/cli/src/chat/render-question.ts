import type { Colors } from '../terminal.ts';
import type { OpenQuestion } from './open-questions.ts';

/** A question with its number and with how to answer it in the conversation. */
export function renderQuestion(
  { number, text }: OpenQuestion,
  isOnlyOne: boolean,
  colors: Colors,
): string {
  const plain = isOnlyOne ? 'yes, no, ' : '';
  const answers = `  answer with: ${plain}/approve ${number}, /deny ${number}`;
  return `${colors.bold(colors.yellow(`? [${number}] ${text}`))}\n${answers}`;
}
