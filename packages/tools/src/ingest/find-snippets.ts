import { headingsOf } from './outline-of.ts';

/** A part of a text, from `start` up to `end`. */
interface Span {
  start: number;
  end: number;
}

/** Paragraphs longer than this are taken in parts. */
const maxParagraphChars = 1_000;
const maxTerms = 20;
/** A word that only begins like a term counts less than the term itself. */
const partialWeight = 0.5;
const phraseBonus = 2;
const maxHits = 12;
const nothingFound: { hasPhrase: boolean; found: number[] } = { hasPhrase: false, found: [] };

/**
 * The parts of a text that match a query best, with their neighbours, in the order of the text and
 * with their places, within a number of characters; null when no word of the query occurs. Words
 * that are rare in the text count more.
 */
export function findSnippets(text: string, query: string, maxChars: number): string | null {
  const terms = [...new Set(wordsOf(query))].slice(0, maxTerms);
  const paragraphs = paragraphsOf(text);
  const scores = scoreParagraphs(text, paragraphs, terms, query.trim().toLowerCase());
  const best = paragraphs
    .map((_, index) => index)
    .filter((index) => (scores[index] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  if (best.length === 0) return null;
  const chosen = choose(paragraphs, best, maxChars);
  const headings = headingsOf(text);
  const shown = joined(paragraphs, chosen).map(({ start, end }) => {
    const heading = headings.findLast(({ at }) => at <= start)?.title;
    const under = heading === undefined ? '' : `, under "${heading}"`;
    return `[characters ${start}-${end} of ${text.length}${under}]\n${text.slice(start, end)}`;
  });
  return shown.join('\n\n');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function paragraphsOf(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length; ) {
    const blank = text.indexOf('\n\n', start);
    const end = blank === -1 ? text.length : blank;
    if (end > start) for (const part of partsOf(text, { start, end })) spans.push(part);
    start = end;
    while (text[start] === '\n') start += 1;
  }
  return spans;
}

function partsOf(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const stop = Math.min(end, from + maxParagraphChars);
    const line = stop === end ? -1 : text.slice(from, stop).lastIndexOf('\n');
    const next = line > 0 ? from + line + 1 : stop;
    spans.push({ start: from, end: next });
    from = next;
  }
  return spans;
}

function scoreParagraphs(
  text: string,
  paragraphs: Span[],
  terms: string[],
  phrase: string,
): number[] {
  const weights = paragraphs.map(({ start, end }) => {
    const part = text.slice(start, end).toLowerCase();
    const held = terms.filter((term) => part.includes(term));
    if (held.length === 0) return nothingFound;
    const words = wordsOf(part);
    const hasPhrase = terms.length > 1 && part.includes(phrase);
    const found = terms.map((term) => (held.includes(term) ? frequency(term, words) : 0));
    return { hasPhrase, found };
  });
  const rarity = terms.map((_, term) => {
    const holding = weights.filter(({ found }) => (found[term] ?? 0) > 0).length;
    return Math.log(1 + paragraphs.length / Math.max(1, holding));
  });
  return weights.map(({ hasPhrase, found }) => {
    const sum = found.reduce(
      (total, count, term) => total + Math.log(1 + count) * (rarity[term] ?? 0),
      0,
    );
    return hasPhrase ? sum * phraseBonus : sum;
  });
}

function frequency(term: string, words: string[]): number {
  let count = 0;
  for (const word of words) {
    if (word === term) count += 1;
    else if (term.length > 2 && word.startsWith(term)) count += partialWeight;
  }
  return count;
}

// The hits first, each as long as there is room; their neighbours while it lasts.
function choose(paragraphs: Span[], best: number[], maxChars: number): Set<number> {
  const chosen = new Set<number>();
  let room = maxChars;
  const take = (index: number): void => {
    const span = paragraphs[index];
    if (span === undefined || chosen.has(index)) return;
    const length = span.end - span.start;
    if (length > room && chosen.size > 0) return;
    chosen.add(index);
    room -= length;
  };
  for (const index of best.slice(0, maxHits)) {
    take(index);
    if (!chosen.has(index)) continue;
    take(index - 1);
    take(index + 1);
  }
  return chosen;
}

function joined(paragraphs: Span[], chosen: Set<number>): Span[] {
  const spans: Span[] = [];
  for (const index of [...chosen].sort((a, b) => a - b)) {
    const span = paragraphs[index];
    const last = spans.at(-1);
    if (span === undefined) continue;
    if (last !== undefined && chosen.has(index - 1)) last.end = span.end;
    else spans.push({ ...span });
  }
  return spans;
}
