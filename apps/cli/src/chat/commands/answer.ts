import type { DecideApproval } from '@loom/shared/approval';
import type { ChatCommand } from '../chat-command.ts';
import { wrongUsage } from '../chat-command.ts';
import type { ChatSession } from '../chat-session.ts';
import type { OpenQuestion } from '../open-questions.ts';
import { splitWord } from '../read-input.ts';
import { readPending } from '../read-pending.ts';

/** `/approve [question] [always]`: allows what is asked, once or for the rest of the session. */
export const approveCommand: ChatCommand = {
  usage: '/approve [number] [always]',
  description: 'allow what is asked; "always": do not ask about this tool again',
  async run(session, rest) {
    const { question, words } = await findQuestion(session, rest);
    if (words !== '' && words !== 'always') {
      throw wrongUsage(`Write it as: ${approveCommand.usage}`);
    }
    const scope = words === 'always' ? 'session' : 'once';
    await answer(session, question, { decision: 'approve', scope });
  },
};

/** `/deny [question] [reason]`: refuses what is asked; the model is told why. */
export const denyCommand: ChatCommand = {
  usage: '/deny [number] [reason]',
  description: 'refuse what is asked',
  async run(session, rest) {
    const { question, words } = await findQuestion(session, rest);
    const reason = words === '' ? undefined : words;
    await answer(session, question, { decision: 'deny', reason, scope: 'once' });
  },
};

/** Answers the only open question by a plain yes or no. */
export async function answerPlainly(
  session: ChatSession,
  decision: 'approve' | 'deny',
): Promise<void> {
  await answer(session, await onlyQuestion(session), { decision, scope: 'once' });
}

async function answer(
  session: ChatSession,
  { approval_id, number }: OpenQuestion,
  body: DecideApproval,
): Promise<void> {
  const { status } = await session.decide(approval_id, body);
  session.terminal.note(session.terminal.colors.dim(`[${number}] ${status}`));
}

async function findQuestion(
  session: ChatSession,
  rest: string,
): Promise<{ question: OpenQuestion; words: string }> {
  const { first, rest: words } = splitWord(rest);
  const named = session.questions.find(first);
  if (named !== null) return { question: named, words };
  if (/^(\d+|apr_\w+)$/.test(first)) throw wrongUsage(`No open question is called ${first}.`);
  return { question: await onlyQuestion(session), words: rest };
}

/** The question that is meant when none is named; one that was not on the screen cannot be meant. */
async function onlyQuestion({ client, id, questions }: ChatSession): Promise<OpenQuestion> {
  const [question] = questions.list();
  if (question === undefined) throw wrongUsage('No question is open.');
  for (const approval of await readPending(client, id)) questions.add(approval);
  const open = questions.list();
  if (open.length === 1) return question;
  const listed = open.map(({ number, text }) => `  [${number}] ${text}`).join('\n');
  throw wrongUsage(
    `${open.length} questions are open; name one, as in /approve ${question.number}:\n${listed}`,
  );
}
