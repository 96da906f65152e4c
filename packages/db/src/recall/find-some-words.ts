import type { Database } from '../database.ts';
import { indexedMatches, newestMatches } from './candidates.ts';
import type { Search } from './find-every-word.ts';
import { matchResolved, type ResolvedTerm } from './resolve-terms.ts';
import type { ScoredMessage } from './scan-newest.ts';
import { createStatement } from './statement.ts';

const maxTerms = 8;
const maxMatchesOfTerm = 40;
const maxMatchesOfPairs = 150;
const qualities = { written: 1, beginning: 0.8, misspelt: 0.7, none: 0 };

/** Messages that hold some terms: they count more for each, and a rare one counts more than a common one. */
export async function findSomeWords(
  db: Database,
  { archive, limit }: Search,
  resolved: ResolvedTerm[],
): Promise<ScoredMessage[]> {
  const terms = resolved
    .filter(({ known_as }) => known_as !== 'none')
    .sort((a, b) => a.share - b.share || b.text.length - a.text.length)
    .slice(0, maxTerms);
  if (terms.length === 0) return [];
  const statement = createStatement(db, archive);
  const matches = terms.map((term) => matchResolved(statement, term));
  // One branch a term: an OR of words would be planned as more common than any of them is.
  const branches = terms.map((term, index) => {
    const find = term.is_common ? newestMatches : indexedMatches;
    return find(matches[index] ?? '', maxMatchesOfTerm);
  });
  // A branch holds but some of the messages with its term; those with two terms must not be missed.
  const pairs = terms.flatMap((term, index) =>
    term.is_common
      ? []
      : matches.slice(index + 1).map((other) => `(${matches[index]} && ${other})`),
  );
  if (pairs.length > 0) branches.push(indexedMatches(`(${pairs.join(' || ')})`, maxMatchesOfPairs));
  const score = terms.map(
    ({ known_as, weight }, index) =>
      `(search @@ ${matches[index]})::int * ${(qualities[known_as] * weight).toFixed(4)}`,
  );
  return statement.run<{ number: number; score: number }>(
    `SELECT number, (${score.join(' + ')})::float AS score
     FROM (SELECT DISTINCT ON (number) number, search
       FROM (${branches.map((branch) => `(${branch})`).join(' UNION ALL ')}) found) candidate
     ORDER BY score DESC, number DESC LIMIT ${limit}`,
  );
}
