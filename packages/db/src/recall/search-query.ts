/** A search text, taken apart once. */
export interface SearchQuery {
  raw: string;
  words: string[];
  /** The words in a row, without what stands between them. */
  plain: string;
  /** Whether symbols join its words, as in a path, or it has nothing but symbols. */
  has_symbols: boolean;
}

const maxWords = 24;

/** Words are letters and digits in a row; punctuation at their ends says nothing. */
export function parseSearchQuery(text: string): SearchQuery {
  const raw = text.trim();
  const words = (raw.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, maxWords);
  const has_symbols = words.length === 0 || /[\p{L}\p{N}][^\p{L}\p{N}\s]+[\p{L}\p{N}]/u.test(raw);
  return { raw, words, plain: words.join(' '), has_symbols };
}

const shortestPrefix = 3;

/** The words that may be matched alone, the longest first, quoted so that none is a syntax error. */
export function toPrefixTerms(query: SearchQuery, max: number): string[] {
  return [...new Set(query.words)]
    .sort((a, b) => b.length - a.length)
    .slice(0, max)
    .map((word) => (word.length < shortestPrefix ? `'${word}'` : `'${word}':*`));
}
