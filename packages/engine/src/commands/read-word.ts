import { decodeEscapes } from './decode-escapes.ts';
import { advance, matchAt, nested, peek, readerWithin, type ShellReader } from './shell-reader.ts';
import {
  type Hole,
  newHole,
  type Pipeline,
  ShellSyntaxError,
  type ShellWord,
  type WordUnit,
} from './shell-syntax.ts';

// No other white space ends a word.
const endsWord = /[ \t\n;&|<>()]/;

/** Reads one word up to the next unquoted blank or operator, its quotes taken off. */
export function readWord(reader: ShellReader): ShellWord {
  const units: WordUnit[] = [];
  while (reader.at < reader.source.length) {
    const char = peek(reader);
    if (char === '\\') readBackslash(reader, units);
    else if (char === "'") readSingleQuoted(reader, units);
    else if (char === '"') readDoubleQuoted(reader, units);
    else if (char === '`') readBackticks(reader, units, false);
    else if (char === '$') readDollar(reader, units, false);
    else if (/[<>]/.test(char) && peek(reader, 1) === '(') readProcess(reader, units);
    else if (endsWord.test(char)) break;
    else push(reader, units, char, false);
  }
  return units;
}

/** Reads text in which only `$`, backticks and some backslashes are special: here-documents. */
export function readHereText(reader: ShellReader): ShellWord {
  const units: WordUnit[] = [];
  while (reader.at < reader.source.length) readQuotedUnit(reader, units, /[$`\\\n]/);
  return units;
}

/** Passes over arithmetic after `((`; false, and nothing read, when it is none after all. */
export function skipArithmetic(reader: ShellReader): boolean {
  const start = reader.at;
  const discarded: WordUnit[] = [];
  for (let open = 1; open > 0; ) {
    const char = peek(reader);
    if (char === '') break;
    if (char === '(' || char === ')') {
      open += char === '(' ? 1 : -1;
      advance(reader, 1);
    } else {
      readExpressionUnit(reader, discarded, false);
    }
  }
  if (peek(reader) === ')') {
    advance(reader, 1);
    return true;
  }
  reader.at = start;
  return false;
}

function push(reader: ShellReader, units: WordUnit[], char: string, quoted: boolean): void {
  units.push({ kind: 'char', char, quoted });
  advance(reader, 1);
}

function pushText(units: WordUnit[], text: string, quoted: boolean): void {
  for (const char of text) units.push({ kind: 'char', char, quoted });
}

function pushHole(units: WordUnit[], quoted: boolean, known: Partial<Hole>): void {
  units.push({ ...newHole(quoted), ...known });
}

function readBackslash(reader: ShellReader, units: WordUnit[]): void {
  const next = peek(reader, 1);
  if (next !== '\n') pushText(units, next === '' ? '\\' : next, true);
  advance(reader, 2);
}

function readSingleQuoted(reader: ShellReader, units: WordUnit[]): void {
  const end = reader.source.indexOf("'", reader.at + 1);
  if (end === -1) throw new ShellSyntaxError('a single quote is not closed');
  pushText(units, reader.source.slice(reader.at + 1, end), true);
  advance(reader, end + 1 - reader.at);
}

function readDoubleQuoted(reader: ShellReader, units: WordUnit[]): void {
  advance(reader, 1);
  while (peek(reader) !== '"') {
    if (peek(reader) === '') throw new ShellSyntaxError('a double quote is not closed');
    readQuotedUnit(reader, units, /[$`"\\\n]/);
  }
  advance(reader, 1);
}

/** `escapable`: what a backslash takes the meaning from; before anything else it stays. */
function readQuotedUnit(reader: ShellReader, units: WordUnit[], escapable: RegExp): void {
  const char = peek(reader);
  const next = peek(reader, 1);
  if (char === '\\' && next !== '' && escapable.test(next)) {
    if (next !== '\n') pushText(units, next, true);
    advance(reader, 2);
  } else if (char === '`') {
    readBackticks(reader, units, true);
  } else if (char === '$') {
    readDollar(reader, units, true);
  } else {
    push(reader, units, char, true);
  }
}

function readBackticks(reader: ShellReader, units: WordUnit[], quoted: boolean): void {
  const found = matchAt(reader, /`((?:[^`\\]|\\[\s\S])*)`/y);
  if (found === null) throw new ShellSyntaxError('a backtick is not closed');
  const script = (found[1] ?? '').replace(quoted ? /\\([\\`$"])/g : /\\([\\`$])/g, '$1');
  advance(reader, found[0].length);
  const inner = readerWithin(reader, script);
  const output = nested(inner, () => inner.readList(inner));
  if (inner.at < script.length) throw new ShellSyntaxError('it has a ")" or ";;" too many');
  noteSubstitution(reader, output);
  pushHole(units, quoted, { output });
}

function noteSubstitution(reader: ShellReader, body: Pipeline[], is_written_to = false): void {
  reader.findings.substitutions.push({ body, is_written_to });
}

function readDollar(reader: ShellReader, units: WordUnit[], quoted: boolean): void {
  const next = peek(reader, 1);
  // Some shells drop the backslash, also within quotes, and see the expansion that it hid.
  if (matchAt(reader, /\$(?:\\[\n({[]|\w+\\\n\w|\{\W?\w*\\)/y)) {
    throw new ShellSyntaxError('a backslash stands within an expansion');
  }
  if (next === '(') return readSubstitution(reader, units, quoted);
  if (next === '{') return readParameter(reader, units, quoted);
  if (next === '[') return readOldArithmetic(reader, units, quoted);
  if (next === "'" && !quoted) return readAnsiQuoted(reader, units);
  // Text to translate; without a catalogue it is the text.
  if (next === '"' && !quoted) {
    advance(reader, 1);
    return readDoubleQuoted(reader, units);
  }
  const name = matchAt(reader, /\$([A-Za-z_]\w*|[0-9@*#?$!-])/y);
  if (name === null) return push(reader, units, '$', quoted);
  advance(reader, name[0].length);
  pushHole(units, quoted, { variable: name[1], is_plain: true });
}

function readAnsiQuoted(reader: ShellReader, units: WordUnit[]): void {
  const found = matchAt(reader, /\$'((?:[^'\\]|\\[\s\S])*)'/y);
  if (found === null) throw new ShellSyntaxError('a single quote is not closed');
  // As in the shell, nothing is left of what stands behind a NUL.
  pushText(units, decodeEscapes(found[1] ?? '').split('\0', 1)[0] ?? '', true);
  advance(reader, found[0].length);
}

function readSubstitution(reader: ShellReader, units: WordUnit[], quoted: boolean): void {
  advance(reader, 2);
  if (peek(reader) === '(') {
    advance(reader, 1);
    if (nested(reader, () => skipArithmetic(reader))) return pushHole(units, quoted, {});
    advance(reader, -1);
  }
  const output = readParenthesised(reader);
  pushHole(units, quoted, { output });
}

function readProcess(reader: ShellReader, units: WordUnit[]): void {
  const isWrittenTo = peek(reader) === '>';
  advance(reader, 2);
  const output = readParenthesised(reader, isWrittenTo);
  pushHole(units, true, { output, is_file: true });
}

function readParenthesised(reader: ShellReader, isWrittenTo = false): Pipeline[] {
  const { pending } = reader;
  const start = reader.at;
  reader.pending = [];
  const output = nested(reader, () => reader.readList(reader));
  if (peek(reader) !== ')') throw new ShellSyntaxError('a parenthesis is not closed');
  const spansLines = reader.source.slice(start, reader.at).includes('\n');
  if (reader.pending.length > 0 || (pending.length > 0 && spansLines)) {
    throw new ShellSyntaxError('it is unclear where the text of a here-document begins');
  }
  advance(reader, 1);
  reader.pending = pending;
  noteSubstitution(reader, output, isWrittenTo);
  return output;
}

function readOldArithmetic(reader: ShellReader, units: WordUnit[], quoted: boolean): void {
  advance(reader, 2);
  const discarded: WordUnit[] = [];
  while (peek(reader) !== ']') readExpressionUnit(reader, discarded, quoted);
  advance(reader, 1);
  pushHole(units, quoted, {});
}

/** `${…}`: only its name and the word it may fall back to are told apart. */
function readParameter(reader: ShellReader, units: WordUnit[], quoted: boolean): void {
  const head = matchAt(reader, /\$\{([!#]?)([A-Za-z_]\w*|\d+|[@*#?$!-])?(?=[^\s|]|$)/y);
  // `${ command; }` runs a command in newer shells.
  if (head === null) throw new ShellSyntaxError('it has a parameter without a name');
  advance(reader, head[0].length);
  const operator = matchAt(reader, /:?[-=+]/y);
  if (operator !== null) advance(reader, operator[0].length);
  const rest: WordUnit[] = [];
  nested(reader, () => {
    while (peek(reader) !== '}') readExpressionUnit(reader, rest, quoted);
  });
  advance(reader, 1);
  const text = rest.map((unit) => (unit.kind === 'char' ? unit.char : '')).join('');
  pushHole(units, quoted, {
    variable: head[1] === '' ? head[2] : null,
    is_plain: operator === null && rest.length === 0,
    fallback: operator === null ? null : text,
  });
}

/** A piece of `${…}` or of arithmetic, read for what may run in it. */
function readExpressionUnit(reader: ShellReader, units: WordUnit[], quoted: boolean): void {
  const char = peek(reader);
  if (char === '') throw new ShellSyntaxError('an expansion is not closed');
  if (char === '\\') readBackslash(reader, units);
  else if (char === "'" && !quoted) readSingleQuoted(reader, units);
  else if (char === '"') readDoubleQuoted(reader, units);
  else if (char === '`') readBackticks(reader, units, quoted);
  else if (char === '$') readDollar(reader, units, quoted);
  else if (/[<>]/.test(char) && peek(reader, 1) === '(' && !quoted) readProcess(reader, units);
  else push(reader, units, char, quoted);
}
