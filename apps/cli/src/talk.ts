import type { EventEmitter } from 'node:events';
import { carryOut, isUrgent } from './chat/carry-out.ts';
import type { ChatSession } from './chat/chat-session.ts';
import { listenForStops } from './chat/listen-for-stops.ts';
import { readInput } from './chat/read-input.ts';
import type { TypedLines } from './chat/typed-lines.ts';
import { CommandFailure } from './command-failure.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

interface Talk {
  session: ChatSession;
  lines: TypedLines;
  signals: EventEmitter;
  is_interactive: boolean;
}

/**
 * Carries out line after line until the input ends, `/quit`, or Ctrl-C with nothing at work. Lines
 * of a pipe wait until what came before is over or asks something; what went wrong shows in the
 * exit code. In front of a terminal nothing waits, and nothing that went wrong ends the conversation.
 */
export async function talk({ session, lines, signals, is_interactive }: Talk): Promise<ExitCode> {
  const stops = listenForStops(signals, session);
  const orEnd = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, stops.left, session.broken]);
  try {
    for (;;) {
      lines.prompt();
      const line = await orEnd(lines.next());
      if (line === null) break;
      const input = readInput(line);
      if (!is_interactive && !isUrgent(input)) await orEnd(session.ready());
      if (await orEnd(carryOutOrComplain(session, input, is_interactive))) break;
    }
    if (!is_interactive) await orEnd(session.settled());
    else tellWhatGoesOn(session);
    return is_interactive ? exitCodes.ok : session.code;
  } finally {
    stops.release();
  }
}

async function carryOutOrComplain(
  session: ChatSession,
  input: ReturnType<typeof readInput>,
  isInteractive: boolean,
): Promise<boolean> {
  try {
    return await carryOut(session, input);
  } catch (error) {
    const isGone = error instanceof CommandFailure && error.exit_code === exitCodes.unreachable;
    if (isGone && !isInteractive) throw error;
    session.complain(error);
    return false;
  }
}

function tellWhatGoesOn({ id, terminal, board }: ChatSession): void {
  if (board.open().length === 0) return;
  terminal.note(terminal.colors.dim(`the turn goes on; come back with: loom chat --resume ${id}`));
}
