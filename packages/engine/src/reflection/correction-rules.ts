/**
 * When words are a correction: wherever they stand; at the beginning of a message; or only behind
 * an objection such as "no," or another correction.
 */
export type CorrectionPlace = 'anywhere' | 'beginning' | 'objecting';

/** Words that correct, and the rule they make; the first group that matched is the rule when nothing else is said. */
export interface CorrectionRule {
  place: CorrectionPlace;
  pattern: RegExp;
  toRule?: (...groups: string[]) => string;
}

/** How the corrections of one language are told. */
export interface CorrectionLanguage {
  /** Says that the answer was wrong, and nothing more. */
  objection: RegExp;
  /** Words at the beginning that change nothing; taken off until none is left. */
  opener: RegExp;
  /** An opener that makes what follows hold from then on. */
  standing: RegExp;
  /** What was said before, once more: the rest is a rule if it reads like one. */
  repeated: RegExp;
  normative: RegExp;
  /** A question that is a wish. */
  politeQuestion: RegExp;
  rules: readonly CorrectionRule[];
  /** Beginnings that look like a correction and are none. */
  phrases: RegExp;
  /** What can be understood only where it was said. */
  bound: RegExp;
}
