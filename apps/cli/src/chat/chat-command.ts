import { CommandFailure } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ChatSession } from './chat-session.ts';

/** Something that is done with a conversation instead of being said in it. */
export interface ChatCommand {
  /** As it is typed, with what follows it. */
  usage: string;
  description: string;
  /** Meant for what is at work: done at once, also when lines come from a pipe. */
  is_urgent?: boolean;
  run(session: ChatSession, rest: string): Promise<void>;
}

/** A line that cannot be carried out as it stands. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, { exit_code: exitCodes.usage });
}

/** What must follow a command. */
export function required(rest: string, command: Pick<ChatCommand, 'usage'>): string {
  if (rest === '') throw wrongUsage(`Write it as: ${command.usage}`);
  return rest;
}
