import { readHereText, readWord } from './read-word.ts';
import { advance, matchAt, peek, readerWithin, type ShellReader } from './shell-reader.ts';
import { type Redirect, ShellSyntaxError, type ShellWord } from './shell-syntax.ts';
import { plainText } from './shell-word.ts';

/** Passes over blanks, continued lines and a comment, up to the end of the line. */
export function skipBlanks(reader: ShellReader): void {
  for (;;) {
    // A comment begins where a word could, so never right behind one.
    const blank = matchAt(reader, /[ \t]+|\\\n/y);
    if (blank !== null) advance(reader, blank[0].length);
    else if (peek(reader) === '#' && beginsWord(reader)) {
      advance(reader, matchAt(reader, /[^\n]*/y)?.[0].length ?? 0);
    } else return;
  }
}

function beginsWord(reader: ShellReader): boolean {
  return reader.at === 0 || /[ \t\n;&|<>()]/.test(reader.source[reader.at - 1] ?? '');
}

/** Takes the end of a line, and the texts of here-documents that follow it. */
export function takeNewline(reader: ShellReader): void {
  advance(reader, 1);
  const { pending } = reader;
  reader.pending = [];
  for (const { delimiter, strips_tabs, is_quoted, redirect } of pending) {
    const text = readLinesUntil(reader, delimiter, strips_tabs, is_quoted);
    redirect.word = is_quoted
      ? [...text].map((char) => ({ kind: 'char', char, quoted: true }))
      : readHereText(readerWithin(reader, text));
  }
}

function readLinesUntil(
  reader: ShellReader,
  delimiter: string,
  strips_tabs: boolean,
  is_quoted: boolean,
): string {
  let text = '';
  let continues = false;
  while (reader.at < reader.source.length) {
    const found = matchAt(reader, /([^\n]*)(?:\n|$)/y);
    const line = found?.[1] ?? '';
    advance(reader, found?.[0].length ?? 0);
    const stripped = strips_tabs ? line.replace(/^\t+/, '') : line;
    if (stripped === delimiter && !continues) return text;
    text += `${stripped}\n`;
    // Lines are joined before they are compared.
    continues = !is_quoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
  }
  throw new ShellSyntaxError('a here-document does not end');
}

const operators = /(?:\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)/y;

/** Reads a redirection if there is one here. */
export function readRedirect(reader: ShellReader): Redirect | null {
  const found = matchAt(reader, operators);
  const operator = found?.[1];
  if (found === null || operator === undefined) return null;
  const isProcess = /^[<>]$/.test(found[0]) && peek(reader, 1) === '(';
  if (isProcess) return null;
  advance(reader, found[0].length);
  // A comment cannot stand here: `> #x` writes to a file of that name.
  const blank = matchAt(reader, /(?:[ \t]|\\\n)*/y);
  advance(reader, blank?.[0].length ?? 0);
  const start = reader.at;
  const word = readWord(reader);
  if (reader.at === start) throw new ShellSyntaxError('a redirection does not say where to');
  if (operator !== '<<' && operator !== '<<-') return { operator, word };
  return readHereDocument(reader, operator, word, reader.source.slice(start, reader.at));
}

function readHereDocument(
  reader: ShellReader,
  operator: string,
  word: ShellWord,
  written: string,
): Redirect {
  const delimiter = plainText(word);
  if (delimiter === null) throw new ShellSyntaxError('it is unclear where a here-document ends');
  const redirect: Redirect = { operator, word: [] };
  const is_quoted = /['"\\]/.test(written.replaceAll('\\\n', ''));
  reader.pending.push({ delimiter, strips_tabs: operator === '<<-', is_quoted, redirect });
  return redirect;
}
