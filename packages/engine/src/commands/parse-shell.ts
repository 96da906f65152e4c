import { readCompound, readFunctionBody } from './read-compound.ts';
import { readRedirect, skipBlanks, takeNewline } from './read-redirect.ts';
import { readWord } from './read-word.ts';
import {
  advance,
  matchAt,
  newReader,
  noteAssigned,
  peek,
  type ShellReader,
} from './shell-reader.ts';
import {
  type Pipeline,
  type Redirect,
  type ShellNode,
  type ShellScript,
  ShellSyntaxError,
  type ShellWord,
} from './shell-syntax.ts';
import { expandBraces, plainText } from './shell-word.ts';

const maxLength = 100_000;

/**
 * Everything that a shell may run when it is given this text, by bash's grammar. What is
 * unbalanced or not understood throws ShellSyntaxError: it must not pass for harmless.
 */
export function parseShell(source: string): ShellScript {
  if (source.length > maxLength) throw new ShellSyntaxError('it is too long');
  const reader = newReader(source, (inner) => readList(inner, []));
  const pipelines = reader.readList(reader);
  if (reader.at < source.length) throw new ShellSyntaxError('it has a ")" or ";;" too many');
  if (reader.pending.length > 0) throw new ShellSyntaxError('a here-document has no text');
  const { substitutions, assigned, calls, functions } = reader.findings;
  for (const [name, ...args] of calls) {
    if (name !== undefined && functions.has(plainText(name) ?? '')) {
      noteAssigned(reader, '@', args);
    }
  }
  return { pipelines, substitutions, assigned, calls };
}

/** Reads commands until one of the words `closers`, an unmatched `)`, or the end of a case's branch. */
function readList(reader: ShellReader, closers: readonly string[]): Pipeline[] {
  const pipelines: Pipeline[] = [];
  for (;;) {
    skipSeparators(reader);
    const isOver = peek(reader) === '' || peek(reader) === ')';
    if (isOver || matchAt(reader, /;;|;&/y) || closers.includes(reservedWord(reader))) {
      return pipelines;
    }
    pipelines.push(readPipeline(reader));
  }
}

function skipSeparators(reader: ShellReader): void {
  for (;;) {
    skipBlanks(reader);
    if (peek(reader) === '\n') takeNewline(reader);
    else if (matchAt(reader, /;(?![;&])|&&|\|\||&(?!>)/y)) {
      advance(reader, peek(reader) === peek(reader, 1) ? 2 : 1);
    } else return;
  }
}

/** The unquoted word of letters or signs at the place, which may be a reserved one. */
function reservedWord(reader: ShellReader): string {
  return matchAt(reader, /(?:[a-z]+|[!{}]|\[\[)(?=[ \t\n;&|<>()]|$)/y)?.[0] ?? '';
}

function readPipeline(reader: ShellReader): Pipeline {
  const pipeline: Pipeline = [];
  for (;;) {
    skipPipelinePrefix(reader);
    pipeline.push(readCommand(reader));
    skipBlanks(reader);
    const pipe = matchAt(reader, /\|(?!\|)&?/y);
    if (pipe === null) return pipeline;
    advance(reader, pipe[0].length);
    skipNewlines(reader);
  }
}

function skipPipelinePrefix(reader: ShellReader): void {
  for (;;) {
    skipBlanks(reader);
    // With other options `time` is a program.
    const prefix = matchAt(reader, /!(?=[ \t(]|$)|time(?:[ \t]+-p)?(?=[ \t]+[^- \t])/y);
    if (prefix === null) return;
    advance(reader, prefix[0].length);
  }
}

function skipNewlines(reader: ShellReader): void {
  for (skipBlanks(reader); peek(reader) === '\n'; skipBlanks(reader)) takeNewline(reader);
}

function readCommand(reader: ShellReader): ShellNode {
  const body = readCompound(reader, reservedWord(reader), { readList, readCommand, skipNewlines });
  if (body === null) return readCall(reader);
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(reader);
    const redirect = readRedirect(reader);
    if (redirect === null) return { kind: 'group', body, redirects };
    redirects.push(redirect);
  }
}

function readCall(reader: ShellReader): ShellNode {
  const words: ShellWord[] = [];
  const redirects: Redirect[] = [];
  let isAssigning = true;
  for (;;) {
    skipBlanks(reader);
    const redirect = readRedirect(reader);
    if (redirect !== null) {
      redirects.push(redirect);
      continue;
    }
    const char = peek(reader);
    if (char === '(') return readFunction(reader, words, redirects);
    if (char === '' || /[\n;&|)]/.test(char)) break;
    const word = readWord(reader);
    if (readAssignment(reader, word) && isAssigning) continue;
    if (isAssigning) refuseReserved(word);
    isAssigning = false;
    words.push(...expandBraces(word));
  }
  if (words.length > 0) reader.findings.calls.push(words);
  return { kind: 'call', words, redirects };
}

/** Notes `NAME=value`, also as the argument of `export` and the like. */
function readAssignment(reader: ShellReader, word: ShellWord): boolean {
  const length = assignmentLength(word);
  if (length === 0) return false;
  const name = word.map((unit) => (unit.kind === 'char' ? unit.char : '')).join('');
  const variable = /^\w+/.exec(name)?.[0] ?? '';
  if (length === word.length && peek(reader) === '(') {
    noteAssigned(reader, variable, readArray(reader));
  } else {
    noteAssigned(reader, variable, [word.slice(length)]);
  }
  return true;
}

/** How many units `NAME=`, `NAME+=` or `NAME[…]=` takes at the beginning of a word. */
function assignmentLength(word: ShellWord): number {
  const equals = word.findIndex((unit) => unit.kind === 'char' && unit.char === '=');
  const head = word.slice(0, equals + 1);
  const text = head.map((unit) => (unit.kind === 'char' ? unit.char : '0')).join('');
  const name = /^[A-Za-z_]\w*/.exec(text)?.[0].length ?? 0;
  const isPlain = head.slice(0, name).every((unit) => unit.kind === 'char' && !unit.quoted);
  return isPlain && /^[A-Za-z_]\w*(\[[^=]*\])?\+?=$/.test(text) ? equals + 1 : 0;
}

function readArray(reader: ShellReader): ShellWord[] {
  advance(reader, 1);
  const words: ShellWord[] = [];
  for (skipNewlines(reader); peek(reader) !== ')'; skipNewlines(reader)) {
    const start = reader.at;
    words.push(...expandBraces(readWord(reader)));
    if (reader.at === start) throw new ShellSyntaxError('a list of values is not closed');
  }
  advance(reader, 1);
  // The word would go on, and so hide that a `#` behind it begins no comment.
  if (!matchAt(reader, /[ \t\n;&|<>)]|$/y)) {
    throw new ShellSyntaxError('something stands right behind a list of values');
  }
  return words;
}

const reserved = new Set(
  '! { } [[ case coproc do done elif else esac fi for function if in select then until while'.split(
    ' ',
  ),
);

/** A reserved word where a command stands is one that the grammar did not expect there. */
function refuseReserved(word: ShellWord): void {
  const text = plainText(word);
  if (text !== null && reserved.has(text) && word.every((unit) => !unit.quoted)) {
    throw new ShellSyntaxError(`"${text}" stands where no command can begin with it`);
  }
}

function readFunction(reader: ShellReader, words: ShellWord[], redirects: Redirect[]): ShellNode {
  const [name] = words;
  const parentheses = matchAt(reader, /\([ \t]*\)/y);
  if (name === undefined || words.length > 1 || redirects.length > 0 || parentheses === null) {
    throw new ShellSyntaxError('a parenthesis stands where none can');
  }
  advance(reader, parentheses[0].length);
  reader.findings.functions.add(plainText(name) ?? '');
  return readFunctionBody(reader, { readList, readCommand, skipNewlines });
}
