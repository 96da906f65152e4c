import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { CliIo } from '../command-context.ts';

interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Lines of someone's input, and a screen on which a prompt stays below what is printed. */
export interface TypedLines {
  /** The next line; null when the input has ended. */
  next(): Promise<string | null>;
  /** Shows the prompt until a line was typed. */
  prompt(): void;
  /** Where to print. */
  stdout: Screen;
  stderr: Screen;
  close(): void;
}

/** Without a terminal lines are only read: nothing is prompted for. */
export function readTypedLines(io: CliIo, isInteractive: boolean, prompt: string): TypedLines {
  const { stdin, stdout, stderr } = io;
  const lines = createInterface({
    input: stdin,
    output: isInteractive ? stderr : undefined,
    terminal: isInteractive,
    prompt,
  });
  // Made at once: lines that come before anyone asks for them would be lost.
  const typed = lines[Symbol.asyncIterator]();
  // A terminal in raw mode hands Ctrl-C to readline instead of raising the signal.
  lines.on('SIGINT', () => io.signals.emit('SIGINT'));
  let isWanted = false;
  let isShown = false;
  lines.on('line', () => {
    isWanted = false;
    isShown = false;
  });

  const show = () => {
    lines.prompt(true);
    isShown = true;
  };
  const hide = () => {
    if (!isShown) return;
    moveCursor(stderr, 0, -lines.getCursorPos().rows);
    cursorTo(stderr, 0);
    clearScreenDown(stderr);
    // Readline would go up as many rows again when it next draws what was typed.
    Object.assign(lines, { prevRows: 0 });
    isShown = false;
  };
  const above = (stream: CliIo['stdout']): Screen => ({
    isTTY: stream.isTTY,
    write(text) {
      hide();
      stream.write(text);
      if (isWanted && text.endsWith('\n')) show();
    },
  });

  return {
    next: async () => (await typed.next()).value ?? null,
    prompt() {
      if (!isInteractive) return;
      isWanted = true;
      show();
    },
    stdout: isInteractive ? above(stdout) : stdout,
    stderr: isInteractive ? above(stderr) : stderr,
    close() {
      isWanted = false;
      hide();
      lines.close();
    },
  };
}
