import type { Database } from '../database.ts';
import { expectedInNewest, indexedMatches, newestMatches } from './candidates.ts';
import type { ProbedTerm } from './probe-terms.ts';
import type { Archive } from './recall-message.ts';
import { searchedText } from './searched-text.ts';
import { createStatement } from './statement.ts';

/** What is looked for, and how many answers are wanted. */
export interface Search {
  archive: Archive;
  raw: string;
  terms: ProbedTerm[];
  limit: number;
  /** So many messages that hold every word answer the question; those with some would bury them. */
  enough: number;
}

/** Messages that hold every term: word for word first, then in a row, then close together. */
export async function findEveryWord(db: Database, search: Search): Promise<number[]> {
  const { terms, enough } = search;
  if (terms.length === 0) return [];
  const rare = terms.filter(({ is_common }) => !is_common);
  if (rare.length > 0) return rank(db, search, rarestOf(rare), 'index');
  // Common words together can be rare: then the newest messages would be read for nothing.
  if (expectedInNewest(terms.map(({ share }) => share)) < enough) {
    return rank(db, search, terms, 'index');
  }
  const newest = await rank(db, search, terms, 'newest');
  return newest.length >= enough ? newest : rank(db, search, terms, 'index');
}

/** The terms by which the index finds a message soonest. */
function rarestOf(terms: ProbedTerm[]): ProbedTerm[] {
  const least = Math.min(...terms.map(({ share }) => share));
  return terms.filter(({ share }) => share === least);
}

async function rank(
  db: Database,
  { archive, raw, terms, limit }: Search,
  driving: ProbedTerm[],
  source: 'index' | 'newest',
): Promise<number[]> {
  const statement = createStatement(db, archive);
  const [all, drive] = [terms, driving].map((some) =>
    some.map((term) => statement.matchTerm(term)).join(' && '),
  );
  const candidates =
    source === 'newest'
      ? newestMatches(`(${all})`)
      : indexedMatches(
          `(${drive})`,
          undefined,
          driving.length < terms.length ? `search @@ (${all})` : 'true',
        );
  const phrase = statement.bind(raw);
  const rows = await statement.run<{ number: number }>(
    `SELECT number FROM (
       SELECT number, content, search @@ phraseto_tsquery('english', ${phrase}) AS is_phrase,
         ts_rank_cd(search, ${all}) AS rank
       FROM (${candidates}) candidate
       ORDER BY is_phrase DESC, rank DESC, number DESC LIMIT ${3 * limit}
     ) best
     ORDER BY strpos(${searchedText(raw)}, ${phrase}) > 0 DESC, is_phrase DESC, rank DESC, number DESC
     LIMIT ${limit}`,
  );
  return rows.map(({ number }) => number);
}
