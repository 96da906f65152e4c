/** A place in a word whose text only the running shell knows, with what is known beforehand. */
export interface Hole {
  kind: 'hole';
  quoted: boolean;
  variable: string | null;
  /** It is the variable as it is, not a part or a variation of it. */
  is_plain: boolean;
  /** The word of `${name:-word}`. */
  fallback: string | null;
  /** What runs to fill it. */
  output: Pipeline[] | null;
  /** `<(…)`: the word is a file that the output can be read from. */
  is_file: boolean;
}

/** A hole of which nothing is known. */
export function newHole(quoted: boolean): Hole {
  return {
    kind: 'hole',
    quoted,
    variable: null,
    is_plain: false,
    fallback: null,
    output: null,
    is_file: false,
  };
}

/** One character of a word, its quotes taken off, or a hole. */
export type WordUnit = { kind: 'char'; char: string; quoted: boolean } | Hole;

/** One argument, before the shell has expanded it. */
export type ShellWord = WordUnit[];

/** `> file`, `<<END` and the like. */
export interface Redirect {
  operator: string;
  /** Where to or from; for here-documents and here-strings the text itself. */
  word: ShellWord;
}

/** A command with its arguments, or a compound one with everything that may run in it. */
export type ShellNode =
  | { kind: 'call'; words: ShellWord[]; redirects: Redirect[] }
  | { kind: 'group'; body: Pipeline[]; redirects: Redirect[] };

/** Commands of which each reads what the one before it writes. */
export type Pipeline = ShellNode[];

/** A script within a word. */
export interface Substitution {
  body: Pipeline[];
  is_written_to: boolean;
}

/**
 * What a script may run. Conditions are not weighed and order is not followed: whatever
 * stands anywhere in it counts.
 */
export interface ShellScript {
  pipelines: Pipeline[];
  /** The scripts of `$(…)`, backticks and `<(…)`, wherever they stand; `>(…)` is written to. */
  substitutions: Substitution[];
  /** Every word that some variable may be given; positional parameters are under `@`. */
  assigned: Map<string, ShellWord[]>;
  /** All calls, those in groups and substitutions too. */
  calls: ShellWord[][];
}

/** The text is no shell script, or a form of one that is not understood here. */
export class ShellSyntaxError extends Error {}
