import type { CliIo } from './command-context.ts';
import type { Conversation } from './conversation.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { listenForInterrupts } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

/** A conversation and the people at this end of it. */
export interface Chat {
  io: CliIo;
  terminal: Terminal;
  conversation: Conversation;
}

/** One turn from the message to its end; the first Ctrl-C stops the turn, the second leaves. */
export async function takeTurn(chat: Chat, message: string): Promise<ExitCode> {
  const { io, terminal, conversation } = chat;
  const interrupts = listenForInterrupts(io.signals, () => {
    terminal.note('stopping the turn; Ctrl-C again leaves');
    return conversation.cancel();
  });
  try {
    const end = await Promise.race([conversation.send(message), interrupts.left]);
    if (end !== 'cancelled') return exitCodes.ok;
    terminal.note(terminal.colors.yellow('turn cancelled'));
    return interrupts.heard() ? exitCodes.interrupted : exitCodes.failed;
  } finally {
    interrupts.release();
  }
}
