import type { Message } from '@loom/shared/api';
import type { Terminal } from '../terminal.ts';
import type { SessionWork } from './load-session.ts';
import { lastExchanges } from './read-exchanges.ts';
import { renderMessages } from './render-message.ts';
import { renderQuestion } from './render-question.ts';

/** Shows the end of a conversation and what is open in it; the answer is the oldest message shown. */
export function tellWhereItStands(
  terminal: Terminal,
  { board, questions }: SessionWork,
  messages: Message[],
  exchanges: number,
): number | null {
  const { colors } = terminal;
  const shown = exchanges === 0 ? [] : lastExchanges(messages, exchanges);
  for (const line of renderMessages(shown, colors)) terminal.note(line);
  const open = questions.list();
  for (const question of open) {
    terminal.note(renderQuestion(question, open.length === 1, colors));
  }
  if (board.busy() !== null) {
    terminal.note(colors.dim('a turn is at work here; what you write waits for it, /stop ends it'));
  }
  return shown[0]?.number ?? null;
}
