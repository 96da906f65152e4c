import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { runCli } from '../../run-cli.ts';

/** A command with someone in front of it, who reads before typing on. */
export interface Typing {
  type(line: string): void;
  interrupt(): void;
  /** Resolves when this stands on the screen. */
  until(wanted: RegExp | string): Promise<void>;
  screen(): string;
  done: Promise<number | null>;
}

/** Starts a command line on a terminal, or on pipes that stay open. */
export function startTyping(args: string[], { tty }: { tty: boolean }): Typing {
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const output = Object.assign(new PassThrough(), { isTTY: tty });
  const signals = new EventEmitter();
  const env = { LOOM_DATA_DIR: '/nonexistent', NO_COLOR: '1' };
  const arrivals = new EventEmitter();
  let screen = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    arrivals.emit('text');
  });
  const until = (wanted: RegExp | string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!(typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen))) return;
        arrivals.off('text', look);
        resolve();
      };
      arrivals.on('text', look);
      look();
    });
  return {
    type: (line) => stdin.write(`${line}\n`),
    interrupt: () => signals.emit('SIGINT'),
    until,
    screen: () => screen,
    done: runCli(args, { env, stdin, stdout: output, stderr: output, signals }),
  };
}
