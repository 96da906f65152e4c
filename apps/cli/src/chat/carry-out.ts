import { assertNever } from '@loom/shared/assert-never';
import { plainAnswer } from '@loom/shared/plain-answer';
import type { ChatSession } from './chat-session.ts';
import { answerPlainly } from './commands/answer.ts';
import { findCommand } from './find-command.ts';
import type { ChatInput } from './read-input.ts';

/** Does what a line asks for; the answer is whether to leave. */
export async function carryOut(session: ChatSession, input: ChatInput): Promise<boolean> {
  switch (input.kind) {
    case 'nothing':
      return false;
    case 'message':
      await answerOrSay(session, input.content);
      return false;
    case 'command': {
      const command = findCommand(input.name);
      if (command === 'leave') return true;
      await command.run(session, input.rest);
      return false;
    }
    default:
      return assertNever(input);
  }
}

/** Whether a line is meant for what is at work, so that it must not wait for its end. */
export function isUrgent(input: ChatInput): boolean {
  if (input.kind !== 'command') return false;
  try {
    const command = findCommand(input.name);
    return command !== 'leave' && command.is_urgent === true;
  } catch {
    return false;
  }
}

/** A turn that asked its user gets whatever is said; a yes or no alone answers an open question. */
async function answerOrSay(session: ChatSession, content: string): Promise<void> {
  const asking = session.board.asking();
  if (asking !== null) return session.say(chosenOption(asking.options, content));
  const decision = plainAnswer(content);
  if (decision !== null && session.questions.list().length > 0) {
    return answerPlainly(session, decision);
  }
  const wasBusy = session.isBusy();
  await session.say(content);
  if (wasBusy) {
    const { note, colors } = session.terminal;
    note(colors.dim('a turn is at work: this waits for it; /interrupt <words> would stop it'));
  }
}

function chosenOption(options: string[], content: string): string {
  return (/^\d+$/.test(content) ? options[Number(content) - 1] : undefined) ?? content;
}
