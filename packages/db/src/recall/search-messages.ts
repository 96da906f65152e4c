import type { Database } from '../database.ts';
import { findEveryWord, type Search } from './find-every-word.ts';
import { findSomeWords } from './find-some-words.ts';
import { probeTerms } from './probe-terms.ts';
import type { Archive } from './recall-message.ts';
import { resolveTerms } from './resolve-terms.ts';
import { type ScoredMessage, scanNewest } from './scan-newest.ts';
import { parseSearchQuery } from './search-query.ts';

/** What a search found, the best first. */
export interface SearchFindings {
  /** Messages that hold all of it. */
  exact: number[];
  /** Messages that hold some of it, or something like it. */
  partial: number[];
}

const enoughExact = 3;

/** Finds messages: the exact phrase, then every word, then some words or parts of them. */
export async function searchMessages(
  db: Database,
  archive: Archive,
  text: string,
  limit: number,
): Promise<SearchFindings> {
  const query = parseSearchQuery(text);
  const terms = await probeTerms(db, archive, query.terms);
  const enough = Math.min(limit, enoughExact);
  const search = { archive, raw: query.raw, terms, limit, enough };
  const exact = await findEveryWord(db, search);
  return exact.length >= enough ? { exact, partial: [] } : findMore(db, search, exact);
}

async function findMore(db: Database, search: Search, exact: number[]): Promise<SearchFindings> {
  const resolved = await resolveTerms(db, search.archive, search.terms);
  const isUnknown = resolved.length === 0 || resolved.some(({ known_as }) => known_as === 'none');
  const isHidden = resolved.some(({ is_hidden }) => is_hidden);
  const scanned =
    isHidden || (exact.length === 0 && isUnknown)
      ? await scanNewest(db, search)
      : { exact: [], partial: [] };
  const all = [...new Set([...exact, ...scanned.exact])].slice(0, search.limit);
  if (all.length >= search.enough) return { exact: all, partial: [] };
  const some = await findSomeWords(db, search, resolved);
  const taken = new Set(all);
  const partial = mergeByScore([...scanned.partial, ...some]).filter(
    (number) => !taken.has(number),
  );
  return { exact: all, partial: partial.slice(0, search.limit - all.length) };
}

function mergeByScore(messages: ScoredMessage[]): number[] {
  const scores = new Map<number, number>();
  for (const { number, score } of messages) {
    scores.set(number, Math.max(score, scores.get(number) ?? 0));
  }
  return [...scores].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a).map(([n]) => n);
}
