import { createInterface } from 'node:readline';
import { CommandFailure } from './command-failure.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type Chat, takeTurn } from './take-turn.ts';

/**
 * Every line is a turn, until the input ends, `/exit`, or Ctrl-C at the prompt. A failed turn is
 * shown and does not end the conversation; without a terminal it still shows in the exit code.
 */
export async function talk(chat: Chat): Promise<ExitCode> {
  const { io, terminal } = chat;
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const lines = createInterface({
    input: io.stdin,
    output: isTerminal ? io.stderr : undefined,
    terminal: isTerminal,
    prompt: terminal.colors.bold('› '),
  });
  let idle = true;
  let code: ExitCode = exitCodes.ok;
  const leave = () => {
    if (!idle) return;
    code = exitCodes.interrupted;
    lines.close();
  };
  // A terminal in raw mode hands Ctrl-C to readline instead of raising the signal.
  lines.on('SIGINT', () => io.signals.emit('SIGINT'));
  io.signals.on('SIGINT', leave);
  try {
    if (isTerminal) lines.prompt();
    for await (const line of lines) {
      const message = line.trim();
      if (message === '/exit' || message === '/quit') break;
      if (message !== '') {
        idle = false;
        const turn = await takeTurnOrComplain(chat, message);
        if (!isTerminal && turn !== exitCodes.ok) code = turn;
        idle = true;
      }
      if (isTerminal) lines.prompt();
    }
    return code;
  } finally {
    io.signals.off('SIGINT', leave);
    lines.close();
  }
}

async function takeTurnOrComplain(chat: Chat, message: string): Promise<ExitCode> {
  try {
    return await takeTurn(chat, message);
  } catch (error) {
    const isTurnOnly = error instanceof CommandFailure && error.exit_code === exitCodes.failed;
    if (!isTurnOnly) throw error;
    chat.terminal.complain(chat.terminal.colors.red(error.message));
    return exitCodes.failed;
  }
}
