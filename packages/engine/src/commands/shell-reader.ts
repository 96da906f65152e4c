import {
  type Pipeline,
  type Redirect,
  ShellSyntaxError,
  type ShellWord,
  type Substitution,
} from './shell-syntax.ts';

// Deeper nesting than a person would write; the reader's own stack stays small.
const maxDepth = 60;

// Reading an ambiguous piece twice is normal, doing so at every level of a nest is an attack.
const stepsPerCharacter = 20;

interface PendingText {
  delimiter: string;
  strips_tabs: boolean;
  is_quoted: boolean;
  redirect: Redirect;
}

/** What is found on the way, shared by all readers of one script. */
interface Findings {
  substitutions: Substitution[];
  assigned: Map<string, ShellWord[]>;
  calls: ShellWord[][];
  functions: Set<string>;
  steps_left: number;
}

/** A place in a script's text, and what was found up to it. */
export interface ShellReader {
  readonly source: string;
  at: number;
  depth: number;
  /** Here-documents whose text begins after the next newline. */
  pending: PendingText[];
  readonly findings: Findings;
  /** Reads a script up to the unmatched `)` or to the end; words need it for what they hold. */
  readonly readList: (reader: ShellReader) => Pipeline[];
}

/** A reader at the beginning of a text. */
export function newReader(source: string, readList: ShellReader['readList']): ShellReader {
  const findings: Findings = {
    substitutions: [],
    assigned: new Map(),
    calls: [],
    functions: new Set(),
    steps_left: 10_000 + source.length * stepsPerCharacter,
  };
  return { source, at: 0, depth: 0, pending: [], findings, readList };
}

/** A reader of a text that stands within another, such as that of a here-document. */
export function readerWithin(outer: ShellReader, source: string): ShellReader {
  return { ...outer, source, at: 0, pending: [] };
}

/** Runs `read` one level deeper. */
export function nested<T>(reader: ShellReader, read: () => T): T {
  reader.depth += 1;
  if (reader.depth > maxDepth) throw new ShellSyntaxError('it is nested too deeply');
  const result = read();
  reader.depth -= 1;
  return result;
}

/** The character `ahead` of the place; empty behind the end. */
export function peek(reader: ShellReader, ahead = 0): string {
  return reader.source[reader.at + ahead] ?? '';
}

/** Moves on; every loop of the reading comes by here. */
export function advance(reader: ShellReader, by: number): void {
  reader.at += by;
  reader.findings.steps_left -= 1;
  if (reader.findings.steps_left < 0) throw new ShellSyntaxError('it is too involved');
}

/** Matches a sticky expression at the place without moving. */
export function matchAt(reader: ShellReader, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = reader.at;
  return sticky.exec(reader.source);
}

/** Remembers that a variable may be given this word. */
export function noteAssigned(reader: ShellReader, name: string, words: ShellWord[]): void {
  const known = reader.findings.assigned.get(name);
  if (known === undefined) reader.findings.assigned.set(name, [...words]);
  else known.push(...words);
}
