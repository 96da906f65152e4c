import { announcements } from './stall-announcements.ts';

/** A longer text says something besides what is about to happen. */
const maxLength = 400;

/** It depends on the user, holds from now on, or is for later: nothing is left undone. */
const otherwise =
  /(?<!\p{L})(?:(?<!(?:check|see|verify|test|determine|confirm|find out) )if|once|whenever|unless|as soon as|(?:when|after) you|until|from now on|in (?:the )?future|always|never|later|tomorrow|next time|going forward|wenn|falls|sobald|künftig|in zukunft|ab jetzt|immer|nie|später|si (?:tu|vous|quieres|lo deseas)|dès que|cuando|quando|se (?:vuoi|você|quiser)|als je|если|когда)(?!\p{L})/iu;

/** What asks for patience and says nothing else. */
const patience =
  /^(?:please )?(?:(?:just )?(?:one|a|give me a|just a) (?:moment|second|sec|minute)|hold on|please wait|stand by|bear with me|(?:einen )?(?:moment|augenblick)|un (?:moment|instant)|un momento|um momento|请稍等|少々お待ちください)(?:,? (?:please|bitte|s'il vous plaît|por favor))?[.!…。]*$/iu;

/**
 * Whether a text only announces what its writer is about to do, as its last word: "Let me check the
 * file." Offers, questions, promises and reports are none.
 */
export function isStallPhrase(text: string): boolean {
  const plain = text.trim().replaceAll(/[’‘´]/g, "'");
  if (plain === '' || plain.length > maxLength || /```|\?|？/.test(plain)) return false;
  const sentences = sentencesOf(plain);
  const last = sentences.filter((sentence) => !patience.test(sentence)).at(-1);
  if (last === undefined) return sentences.length > 0;
  return !otherwise.test(last) && announcements.some((announcement) => announcement.test(last));
}

/** They end with a full stop, an exclamation mark or a line; names of files have their dots inside. */
function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!])\s+|(?<=[。！])|\n+/u)
    .map((part) => part.trim().replace(/^[*_>\-\s]+/, ''))
    .filter((part) => /\p{L}/u.test(part));
}
