import picocolors from 'picocolors';
import { plainText } from './plain-text.ts';

export type Colors = ReturnType<typeof picocolors.createColors>;

interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** Where a command speaks: results on stdout, everything else on stderr. */
export interface Terminal {
  json: boolean;
  /** For stderr; results carry no colour. */
  colors: Colors;
  /** A result for people. Silent with `--json`. */
  print(line: string): void;
  /** A piece of a result that is still being written. Silent with `--json`. */
  write(piece: string): void;
  /** A result for machines: one line of JSON. Silent without `--json`. */
  emit(value: unknown): void;
  /** What is going on. Silent with `--json`. */
  note(line: string): void;
  /** What went wrong. Always shown. */
  complain(line: string): void;
}

/** Colour only on a terminal, and never against NO_COLOR. */
export function createTerminal(options: {
  stdout: Sink;
  stderr: Sink;
  env: Record<string, string | undefined>;
  json: boolean;
}): Terminal {
  const { stdout, stderr, env, json } = options;
  const colorful = stderr.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  let midLine = false;
  const endLine = () => {
    if (midLine) stdout.write('\n');
    midLine = false;
  };
  return {
    json,
    colors: picocolors.createColors(colorful),
    print(line) {
      if (json) return;
      endLine();
      stdout.write(`${plainText(line)}\n`);
    },
    write(piece) {
      const text = plainText(piece);
      if (json || text === '') return;
      stdout.write(text);
      midLine = !text.endsWith('\n');
    },
    emit(value) {
      if (json) stdout.write(`${JSON.stringify(value)}\n`);
    },
    note(line) {
      if (json) return;
      endLine();
      stderr.write(`${line}\n`);
    },
    complain(line) {
      endLine();
      stderr.write(`${line}\n`);
    },
  };
}
