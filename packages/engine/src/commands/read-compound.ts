import { readRedirect, skipBlanks } from './read-redirect.ts';
import { readWord, skipArithmetic } from './read-word.ts';
import { advance, matchAt, nested, noteAssigned, peek, type ShellReader } from './shell-reader.ts';
import { type Pipeline, type ShellNode, ShellSyntaxError, type ShellWord } from './shell-syntax.ts';
import { expandBraces, plainText } from './shell-word.ts';

/** The parts of the grammar that compound commands are made of. */
interface Grammar {
  readList: (reader: ShellReader, closers: readonly string[]) => Pipeline[];
  readCommand: (reader: ShellReader) => ShellNode;
  skipNewlines: (reader: ShellReader) => void;
}

/** Reads a compound command, given the word at the place; null when it is none. */
export function readCompound(reader: ShellReader, word: string, grammar: Grammar) {
  return nested(reader, () => readByWord(reader, word, grammar));
}

function readByWord(reader: ShellReader, word: string, grammar: Grammar): Pipeline[] | null {
  if (peek(reader) === '(') return readSubshell(reader, grammar);
  switch (word) {
    case '{':
      advance(reader, 1);
      return readUntil(reader, ['}'], grammar).body;
    case 'if':
      advance(reader, word.length);
      return readIf(reader, grammar);
    case 'while':
    case 'until':
      advance(reader, word.length);
      return [
        ...readUntil(reader, ['do'], grammar).body,
        ...readUntil(reader, ['done'], grammar).body,
      ];
    case 'for':
    case 'select':
      advance(reader, word.length);
      return readFor(reader, grammar);
    case 'case':
      advance(reader, word.length);
      return readCase(reader, grammar);
    case 'function':
      advance(reader, word.length);
      return readNamedFunction(reader, grammar);
    case '[[':
      advance(reader, word.length);
      skipTest(reader, grammar);
      return [];
    default:
      return null;
  }
}

/** Reads commands up to one of the words, and takes it. */
function readUntil(reader: ShellReader, closers: readonly string[], grammar: Grammar) {
  const body = grammar.readList(reader, closers);
  const closer = matchAt(reader, /[a-z]+|\}/y)?.[0] ?? '';
  if (!closers.includes(closer)) {
    throw new ShellSyntaxError(`"${closers.join('" or "')}" is missing`);
  }
  advance(reader, closer.length);
  return { body, closer };
}

function readSubshell(reader: ShellReader, { readList }: Grammar): Pipeline[] {
  if (peek(reader, 1) === '(') {
    advance(reader, 2);
    if (skipArithmetic(reader)) return [];
    advance(reader, -2);
  }
  advance(reader, 1);
  const body = readList(reader, []);
  if (peek(reader) !== ')') throw new ShellSyntaxError('a parenthesis is not closed');
  advance(reader, 1);
  return body;
}

function readIf(reader: ShellReader, grammar: Grammar): Pipeline[] {
  const body = readUntil(reader, ['then'], grammar).body;
  for (;;) {
    const branch = readUntil(reader, ['elif', 'else', 'fi'], grammar);
    body.push(...branch.body);
    if (branch.closer === 'fi') return body;
    if (branch.closer === 'elif') body.push(...readUntil(reader, ['then'], grammar).body);
  }
}

function readFor(reader: ShellReader, grammar: Grammar): Pipeline[] {
  skipBlanks(reader);
  if (matchAt(reader, /\(\(/y)) {
    advance(reader, 2);
    if (!skipArithmetic(reader)) throw new ShellSyntaxError('the head of a loop is not closed');
  } else {
    const variable = plainText(readWord(reader)) ?? '';
    grammar.skipNewlines(reader);
    if (matchAt(reader, /in(?=[ \t\n;])/y)) {
      advance(reader, 2);
      noteAssigned(reader, variable, readWords(reader));
    }
  }
  skipBlanks(reader);
  if (peek(reader) === ';') advance(reader, 1);
  grammar.skipNewlines(reader);
  const opener = matchAt(reader, /do(?=[ \t\n;&|<>()])|\{(?=[ \t\n])/y)?.[0];
  if (opener === undefined) throw new ShellSyntaxError('"do" is missing');
  advance(reader, opener.length);
  return readUntil(reader, [opener === 'do' ? 'done' : '}'], grammar).body;
}

function readWords(reader: ShellReader): ShellWord[] {
  const words: ShellWord[] = [];
  for (;;) {
    skipBlanks(reader);
    const start = reader.at;
    const word = readWord(reader);
    if (reader.at === start) return words;
    words.push(...expandBraces(word));
  }
}

function readCase(reader: ShellReader, grammar: Grammar): Pipeline[] {
  skipBlanks(reader);
  readWord(reader);
  grammar.skipNewlines(reader);
  if (!matchAt(reader, /in(?=[ \t\n])/y)) throw new ShellSyntaxError('"in" is missing');
  advance(reader, 2);
  const body: Pipeline[] = [];
  for (;;) {
    grammar.skipNewlines(reader);
    if (matchAt(reader, /esac(?=[ \t\n;&|<>()]|$)/y)) break;
    skipPatterns(reader);
    body.push(...grammar.readList(reader, ['esac']));
    const end = matchAt(reader, /;;&|;;|;&/y);
    if (end !== null) advance(reader, end[0].length);
    else if (!matchAt(reader, /esac/y)) throw new ShellSyntaxError('"esac" is missing');
  }
  advance(reader, 4);
  return body;
}

function skipPatterns(reader: ShellReader): void {
  if (peek(reader) === '(') advance(reader, 1);
  for (;;) {
    skipBlanks(reader);
    const start = reader.at;
    readWord(reader);
    if (reader.at === start) throw new ShellSyntaxError('a branch of a case has no pattern');
    skipBlanks(reader);
    const char = peek(reader);
    if (char !== '|' && char !== ')') {
      throw new ShellSyntaxError('the pattern of a case is not closed');
    }
    advance(reader, 1);
    if (char === ')') return;
  }
}

/** `[[ … ]]`, in which `<`, `>`, `(` and `|` compare and group. */
function skipTest(reader: ShellReader, { skipNewlines }: Grammar): void {
  for (;;) {
    skipNewlines(reader);
    if (peek(reader) === '') throw new ShellSyntaxError('"]]" is missing');
    if (matchAt(reader, /\]\](?=[ \t\n;&|<>()]|$)/y)) {
      advance(reader, 2);
      return;
    }
    const start = reader.at;
    readWord(reader);
    if (reader.at === start) advance(reader, 1);
  }
}

function readNamedFunction(reader: ShellReader, grammar: Grammar): Pipeline[] {
  skipBlanks(reader);
  reader.findings.functions.add(plainText(readWord(reader)) ?? '');
  skipBlanks(reader);
  const parentheses = matchAt(reader, /\([ \t]*\)/y);
  if (parentheses !== null) advance(reader, parentheses[0].length);
  return [[readFunctionBody(reader, grammar)]];
}

/** The body of a function, judged as if it were called right where it is defined. */
export function readFunctionBody(reader: ShellReader, grammar: Grammar): ShellNode {
  grammar.skipNewlines(reader);
  if (readRedirect(reader) !== null) throw new ShellSyntaxError('a function has no body');
  return nested(reader, () => grammar.readCommand(reader));
}
