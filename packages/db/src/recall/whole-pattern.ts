/** A pattern that finds a text only where it is no part of a longer word, number or version. */
export function wholePattern(text: string): string {
  const escaped = text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&');
  const first = text.at(0) ?? '';
  const last = text.at(-1) ?? '';
  return `${startOf(first)}${escaped}${endOf(last)}`;
}

// Scripts without spaces have no ends of words to be seen.
const hasEnds = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{N}]/u;
const digit = /\p{Nd}/u;

function startOf(character: string): string {
  if (digit.test(character)) return '(?<![[:alnum:]])(?<![0-9][.,])';
  return hasEnds.test(character) ? '(?<![[:alpha:]])' : '';
}

function endOf(character: string): string {
  if (digit.test(character)) return '(?![[:alnum:]])(?![.,][0-9])';
  return hasEnds.test(character) ? '(?![[:alpha:]])' : '';
}
