/** One thing that is searched for: a word, an identifier, a path, or a word of a script without spaces. */
export interface SearchTerm {
  /** As it was typed, in lower case. */
  text: string;
  /** Spellings any of which will do, each looked for as a phrase. */
  forms: string[];
  /** Whether a message can hold it without the index knowing: inside a path, an identifier, a row of Han. */
  is_hidden: boolean;
}

/** A search text, taken apart once. */
export interface SearchQuery {
  /** All of it in lower case, with single spaces. */
  raw: string;
  terms: SearchTerm[];
}

const maxTerms = 24;
const unspaced = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const unspacedRun = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');
const outerPunctuation = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
const words = /[\p{L}\p{M}\p{N}]+/gu;
const version = /^v?(\d+(?:\.\d+)+)$/;

/** Takes a text apart; punctuation around words says nothing, inside an identifier it does. */
export function parseSearchQuery(text: string): SearchQuery {
  const chunks = text.trim().split(/\s+/u);
  const terms = new Map<string, SearchTerm>();
  for (const chunk of chunks) {
    for (const run of chunk.match(unspacedRun) ?? []) {
      for (const term of isUnspaced.test(run) ? segmentsOf(run) : termsOf(run)) {
        if (terms.size < maxTerms) terms.set(term.text, term);
      }
    }
  }
  return { raw: chunks.join(' ').toLowerCase(), terms: [...terms.values()] };
}

function termsOf(run: string): SearchTerm[] {
  const trimmed = run.replace(outerPunctuation, '');
  const text = trimmed.toLowerCase();
  if (text === '') return [];
  const parts = splitIdentifier(trimmed);
  const forms = new Set([text, parts.join(' ')]);
  // `foo_bar`, `foo-bar` and `fooBar` are one name in different hands.
  if (parts.length > 1 && /^[\p{L}\p{N}_-]+$/u.test(text)) forms.add(parts.join(''));
  const number = version.exec(text)?.[1];
  if (number !== undefined) forms.add(number).add(`v${number}`);
  return [{ text, forms: [...forms], is_hidden: parts.length > 1 }];
}

function splitIdentifier(text: string): string[] {
  const spaced = text.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ');
  return spaced.toLowerCase().match(words) ?? [];
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

const particle = /^(\p{sc=Hira}|[的了是在和把])$/u;

/** The words of a run without spaces; a lone character belongs to the word before it unless it is a particle. */
function segmentsOf(run: string): SearchTerm[] {
  const found: string[] = [];
  let isOpen = false;
  for (const { segment } of segmenter.segment(run)) {
    const isLone = [...segment].length === 1;
    if (isLone && isOpen && !particle.test(segment)) found.push(`${found.pop()}${segment}`);
    else if (!particle.test(segment)) found.push(segment);
    isOpen = !particle.test(segment);
  }
  return (found.length > 0 ? found : [run]).map((text) => ({
    text,
    forms: [text],
    is_hidden: true,
  }));
}
