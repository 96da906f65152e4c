import { recallAnswerSchema } from '@loom/shared/api';
import picocolors from 'picocolors';
import { readAs } from '../../api-client.ts';
import { sessionPath } from '../../conversation.ts';
import { type ChatCommand, required, wrongUsage } from '../chat-command.ts';
import { readExchanges } from '../read-exchanges.ts';
import { renderMessages } from '../render-message.ts';

const pageOfExchanges = 5;
const maxExchanges = 100;
const noColors = picocolors.createColors(false);

/** `/recall <query>`: searches what was said, word for word. */
export const recallCommand: ChatCommand = {
  usage: '/recall <query>',
  description: 'search what was said here',
  async run({ client, terminal, id }, rest) {
    const body = { action: 'search', query: required(rest, recallCommand) };
    const answer = await client.request('POST', `${sessionPath(id)}/recall`, body);
    terminal.emit({ type: 'chat.recall', data: answer });
    terminal.print(readAs(recallAnswerSchema, answer).text.trimEnd());
  },
};

/** `/history [n]`: the exchanges before those that are shown, or the last n. */
export const historyCommand: ChatCommand = {
  usage: '/history [n]',
  description: 'show what was said before; with a number, the last n exchanges',
  async run(session, rest) {
    const { client, terminal, id } = session;
    if (rest !== '' && !isCount(rest)) {
      throw wrongUsage(`Give a number from 1 to ${maxExchanges}, as in /history 10.`);
    }
    const { messages, is_beginning } = await readExchanges(client, id, {
      before: rest === '' ? session.shown_from : null,
      count: rest === '' ? pageOfExchanges : Number(rest),
    });
    terminal.emit({ type: 'chat.history', data: { items: messages } });
    for (const line of renderMessages(messages, noColors)) terminal.print(line);
    session.shown_from = messages[0]?.number ?? session.shown_from;
    terminal.note(
      terminal.colors.dim(
        is_beginning ? 'that is the beginning' : '/history shows what was before',
      ),
    );
  },
};

function isCount(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= maxExchanges;
}
