import { cutText } from '@loom/shared/text';
import { findSnippets } from './find-snippets.ts';
import { outlineOf } from './outline-of.ts';

interface ShowOptions {
  query?: string | undefined;
  /** A text up to this length is shown whole when there is no query. */
  max_chars: number;
  /** How the rest can be had. */
  more: string;
}

const snippetChars = 8_000;
const outlineChars = 2_000;
/** What lies behind is only shown by its place. */
const maxSearchedChars = 5_000_000;
const placePattern = /^\s*(\d{1,12})\s*[-–]\s*(\d{1,12})\s*$/;

/** Whether a text is shown whole, so that nothing of it needs keeping. */
export function isShownWhole(
  text: string,
  { query, max_chars }: Pick<ShowOptions, 'query' | 'max_chars'>,
): boolean {
  return text.length <= (query === undefined ? max_chars : Math.min(max_chars, 2_000));
}

/**
 * What a model is shown of a text: all of it, or its beginning and its outline; with a query, the
 * parts that match it, or the characters that it names ("2000-4000").
 */
export function showText(text: string, options: ShowOptions): string {
  if (text.trim() === '') return '(no text)';
  if (isShownWhole(text, options)) return text;
  const place = placePattern.exec(options.query ?? '');
  if (place) return showPlace(text, Number(place[1]), Number(place[2]), options.max_chars);
  if (options.query === undefined) return showBeginning(text, options);
  const searched = cutText(text, maxSearchedChars);
  const found = findSnippets(searched, options.query, Math.min(snippetChars, options.max_chars));
  if (found !== null) return `${found}\n\n[parts that match the query; ${options.more}]`;
  const said = `Nothing in the first ${searched.length} characters matches "${cutText(options.query, 100)}".`;
  return `${said}\n\n${showBeginning(text, { ...options, max_chars: 2_000 })}`;
}

function showBeginning(text: string, { max_chars, more }: ShowOptions): string {
  const outline = outlineOf(cutText(text, maxSearchedChars), Math.min(outlineChars, max_chars));
  const shown = cutText(text, Math.max(500, max_chars - outline.length));
  const contents = outline === '' ? '' : `\n\nOutline:\n${outline}`;
  return `${shown}\n[… characters 0-${shown.length} of ${text.length}; ${more}]${contents}`;
}

function showPlace(text: string, from: number, to: number, maxChars: number): string {
  if (from >= text.length || to <= from) {
    return `There are ${text.length} characters: give a place within them, such as "0-${Math.min(text.length, maxChars)}".`;
  }
  const shown = cutText(text.slice(from), Math.min(to - from, maxChars));
  return `[characters ${from}-${from + shown.length} of ${text.length}]\n${shown}`;
}
