/** Words with which people point to what was said or done before. */
const phrases = [
  /\b(?:like|as) (?:we|i|you) (?:discussed|agreed|decided|said|mentioned|talked about|planned|noted)\b/,
  /\bas (?:before(?!-)|discussed|agreed|planned|i said|you said|mentioned)\b/,
  /\b(?:remember|recall) (?:when|that|how|what|the)\b/,
  /\b(?:go|going|went) back to\b/,
  /\bthat (?:same )?(?:file|error|function|thing|bug|test|command|idea|problem|approach|decision)\b(?!-)/,
  /\bwhat (?:we|you|i) (?:did|said|decided|discussed|agreed|wrote|changed)\b/,
  /\b(?:earlier(?! than)|previously)\b/,
  /\bthe previous\b/,
  /\blike i mentioned\b/,
  /\bwe already\b/,
  /\b(?:last time|the other day|at the beginning|in the beginning)\b/,
];
const germanPhrases = [
  /(?<!\p{L})wie (?:besprochen|gesagt|vereinbart|vorhin|zuvor|eben)(?!\p{L})/u,
  /(?<!\p{L})(?:vorhin|erinnerst du dich|was wir (?:besprochen|gemacht|gesagt|entschieden) haben)(?!\p{L})/u,
];

/** Later parts of a long message are rarely about the conversation itself. */
const maxLooked = 2_000;

/** Whether a message refers back to something of the conversation, however it is written. */
export function refersBack(content: string): boolean {
  const text = content.slice(0, maxLooked).toLowerCase();
  return [...phrases, ...germanPhrases].some((phrase) => phrase.test(text));
}
