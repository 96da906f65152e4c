import { firstLine } from '@loom/shared/text';
import { spokenSentences } from '../spoken-sentences.ts';

/** Long texts are quotations and logs more often than wishes; their beginning is looked at. */
const maxLooked = 8_000;
const maxConstraints = 10;
const maxLength = 300;

const englishWords =
  /\b(never|always|must not|mustn't|do not ever|don't ever|under no circumstances|from now on|whatever you do|make sure (?:that )?(?:you )?(?:never|always|not))\b/i;
const germanWords =
  /(?<!\p{L})(nie|niemals|immer|auf keinen fall|unter keinen umständen|ab jetzt)(?!\p{L})/iu;

/** Someone tells of what is, instead of what shall be. */
const reports = /\b(?:i|we|it|he|she|they|this|that|there) (?:have |has |had )?(?:always|never)\b/i;

/** The sentences of a message that say what must always or never be done; questions and quotations are none. */
export function findConstraints(content: string): string[] {
  const found = spokenSentences(content, maxLooked).filter(isConstraint);
  return [...new Set(found.map((sentence) => firstLine(sentence, maxLength)))].slice(
    0,
    maxConstraints,
  );
}

function isConstraint(sentence: string): boolean {
  if (sentence.endsWith('?') || sentence.length < 8) return false;
  if (reports.test(sentence) && !/\bmust\b|\bshould\b/i.test(sentence)) return false;
  if (/^never\s*mind\b/i.test(sentence)) return false;
  return englishWords.test(sentence) || germanWords.test(sentence);
}
