import type { Hole, ShellWord } from './shell-syntax.ts';

/** Stands in an argument for text that only the running shell knows. */
export const holeMark = '\uFFFC';

/** The same for a file that a running process writes. */
export const fileMark = '\uFFFB';

/** Whether some of a text is known only when it runs. */
export function hasHole(text: string): boolean {
  return text.includes(holeMark) || text.includes(fileMark);
}

/** What is left of a text if its holes turn out to be empty. */
export function withoutHoles(text: string): string {
  return text.replaceAll(holeMark, '').replaceAll(fileMark, '');
}

/** What variables may be set to; from the same script, so it is a guess and never a proof. */
export type Values = ReadonlyMap<string, readonly string[]>;

// Set by the system; nobody hides a command in them without assigning them first.
const ordinaryVariables = new Set(['HOME', 'PWD', 'OLDPWD', 'USER', 'TMPDIR']);

/** The text of a hole that stands for itself: `$HOME` is as good as a literal. */
export function ordinaryText(hole: Hole, values: Values): string | null {
  const { variable, is_plain } = hole;
  if (variable === null || !is_plain || values.has(variable)) return null;
  return ordinaryVariables.has(variable) ? `$${variable}` : null;
}

/** The arguments that words become, once `fill` has said what is in the holes. */
export function fieldsOf(words: readonly ShellWord[], fill: (hole: Hole) => string): string[] {
  return words.flatMap((word) => fieldsOfWord(word, fill));
}

function fieldsOfWord(word: ShellWord, fill: (hole: Hole) => string): string[] {
  const fields: string[] = [];
  // An unquoted hole that is empty leaves no argument behind, a quoted one an empty argument.
  let field: string | null = word.length === 0 ? '' : null;
  for (const unit of word) {
    if (unit.kind === 'char') {
      field = (field ?? '') + unit.char;
      continue;
    }
    const text = fill(unit);
    if (unit.quoted && unit.variable !== '@') {
      field = (field ?? '') + text;
      continue;
    }
    const [head = '', ...more] = text.split(/[ \t\n]+/);
    if (head !== '') field = (field ?? '') + head;
    for (const part of more) {
      if (field !== null) fields.push(field);
      field = part === '' ? null : part;
    }
  }
  if (field !== null) fields.push(field);
  return fields;
}

/** One text of a word: for targets and here-documents, which are not split. */
export function textOf(word: ShellWord, fill: (hole: Hole) => string): string {
  return word.map((unit) => (unit.kind === 'char' ? unit.char : fill(unit))).join('');
}
