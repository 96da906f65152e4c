import { firstLine } from '@loom/shared/text';
import { spokenSentences } from '../spoken-sentences.ts';
import type { CorrectionLanguage, CorrectionPlace } from './correction-rules.ts';
import { englishCorrections } from './english-corrections.ts';
import { germanCorrections } from './german-corrections.ts';
import { opposedForms, ruleForm } from './rule-form.ts';

/** What a correction says about answers to come. */
export interface Correction {
  /** One sentence, in the user's words. */
  rule: string;
  /** Equal for wordings that say the same. */
  normal_form: string;
  /** Forms of rules that it takes back. */
  opposes: string[];
}

/** The longest rule, in characters. */
export const maxRuleChars = 200;
/** Long messages are new work more often than words about the old. */
const maxLooked = 2_000;
const maxCorrections = 3;
const languages = [englishCorrections, germanCorrections];

/**
 * The rules in a message that follows an assistant's answer; none when nothing was answered before.
 * Rather none than a wrong one: what is only meant here and now, reports and questions are left out.
 */
export function findCorrections(previous: string | null, message: string): Correction[] {
  if (previous === null) return [];
  const isAnswer = /\?["')\s]*$/.test(previous.trimEnd());
  const found = new Map<string, Correction>();
  const heard: Heard = { atBeginning: true, objected: false };
  for (const sentence of spokenSentences(message, maxLooked)) {
    const rule = ruleIn(sentence, heard, isAnswer);
    if (rule === null) continue;
    const normal_form = ruleForm(rule);
    if (normal_form === '') continue;
    heard.objected = !isAnswer;
    found.set(normal_form, { rule, normal_form, opposes: opposedForms(normal_form) });
  }
  return [...found.values()].slice(0, maxCorrections);
}

/** What the sentences before have made of the message. */
interface Heard {
  atBeginning: boolean;
  objected: boolean;
}

function ruleIn(sentence: string, heard: Heard, isAnswer: boolean): string | null {
  for (const language of languages) {
    const { rest, objected, standing } = withoutOpeners(sentence, language);
    if (objected && !isAnswer) heard.objected = true;
    const places = placesOf(heard, isAnswer);
    if (standing) places.add('objecting');
    const rule = matchRule(rest, language, places);
    if (rule !== null) return rule;
  }
  // A complaint or a word of praise is still a beginning; anything longer is about something else.
  if (sentence.endsWith('?') || sentence.split(/\s+/).length > 8) heard.atBeginning = false;
  return null;
}

function placesOf({ atBeginning, objected }: Heard, isAnswer: boolean): Set<CorrectionPlace> {
  const places = new Set<CorrectionPlace>(['anywhere']);
  if (!isAnswer && (atBeginning || objected)) places.add('beginning');
  if (objected) places.add('objecting');
  return places;
}

function withoutOpeners(sentence: string, language: CorrectionLanguage) {
  let rest = sentence;
  let objected = false;
  let standing = false;
  for (;;) {
    const objection = rest.match(language.objection)?.[0];
    const since = rest.match(language.standing)?.[0];
    const opener = objection ?? since ?? rest.match(language.opener)?.[0];
    if (opener === undefined || opener === '') return { rest, objected, standing };
    objected ||= objection !== undefined;
    standing ||= since !== undefined;
    rest = rest.slice(opener.length);
  }
}

function matchRule(
  sentence: string,
  language: CorrectionLanguage,
  places: ReadonlySet<CorrectionPlace>,
): string | null {
  let text = trimmed(sentence);
  if (sentence.endsWith('?')) {
    const wish = text.match(language.politeQuestion)?.[0];
    if (wish === undefined) return null;
    text = text.slice(wish.length).replace(/^not /i, "don't ");
  }
  const repeated = text.match(language.repeated)?.[1];
  if (repeated !== undefined) {
    const told = repeated.replace(/^not to /i, "don't ");
    if (language.normative.test(told)) return asRule(told, language);
  }
  for (const { place, pattern, toRule } of language.rules) {
    const groups = places.has(place) ? text.match(pattern)?.slice(1) : undefined;
    if (groups === undefined) continue;
    return asRule(toRule === undefined ? (groups[0] ?? '') : toRule(...groups), language);
  }
  return null;
}

/** The sentence as a rule; null when it cannot be understood elsewhere, or should not be kept. */
function asRule(found: string, { phrases, bound }: CorrectionLanguage): string | null {
  const text = trimmed(found);
  if (phrases.test(text) || bound.test(text) || isJoke(text) || holdsSecret(text)) return null;
  if (text.split(/\s+/).length < 2) return null;
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return firstLine(`${sentence}.`, maxRuleChars);
}

function trimmed(sentence: string): string {
  return sentence
    .replace(/(?:[\s.!?,]|[:;](?![-)D(P]))+$/, '')
    .replace(/,? (?:please|again|bitte|ok(?:ay)?|thanks|danke)$/i, '')
    .trim();
}

function isJoke(text: string): boolean {
  return /[:;]-?[)D(P]|\p{Emoji_Presentation}/u.test(text);
}

/** Rules are shown and sent to models for a long time: credentials have no place in them. */
function holdsSecret(text: string): boolean {
  return (
    /\b(?:password|passwort|passphrase|secret|token|api[ _-]?key)\b\s*(?:is|ist|[:=])/i.test(
      text,
    ) || /(?=\S*\d)(?=\S*[a-z])[\w+/=-]{20,}/i.test(text)
  );
}
