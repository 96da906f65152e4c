/** A piece of a text, and whether it is one of the words that were looked for. */
export interface MarkedPiece {
  text: string;
  is_hit: boolean;
}

/** Cuts a text so that the words of a query can be shown in it, in whatever case they stand. */
export function markWords(text: string, query: string): MarkedPiece[] {
  const words = query.split(/[\s"]+/).filter((word) => word !== '');
  if (words.length === 0) return [{ text, is_hit: false }];
  const longestFirst = words.sort((a, b) => b.length - a.length).map(escapeWord);
  return text
    .split(new RegExp(`(${longestFirst.join('|')})`, 'giu'))
    .map((piece, index) => ({ text: piece, is_hit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

function escapeWord(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
