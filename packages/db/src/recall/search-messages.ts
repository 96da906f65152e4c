import type pg from 'pg';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import { indexedMatches, isCommon, newestMatches, newestMessages, probe } from './candidates.ts';
import type { Archive } from './recall-message.ts';
import { parseSearchQuery, type SearchQuery, toPrefixTerms } from './search-query.ts';

/** How well the hits match. */
type SearchTier = 'every_word' | 'some_words' | 'none';

const maxMatchesOfWord = 40;
const maxSingleWords = 6;
// So many messages that hold every word answer the question; those with some would bury them.
const enoughExact = 3;
// Symbols have no index; they are looked for in the newest messages only.
const substringMessages = 1_000;

// With a limit the planner hopes to find common words by reading the table from its start, where
// other sessions lie; and compiling a query takes longer than running it.
const plannerSettings = 'SET LOCAL enable_seqscan = off; SET LOCAL jit = off';

/** Numbers of the best matches first: the exact phrase, then every word, then some or their beginnings. */
export async function searchMessages(
  db: Database,
  archive: Archive,
  text: string,
  limit: number,
): Promise<{ numbers: number[]; tier: SearchTier }> {
  const query = parseSearchQuery(text);
  const enough = Math.min(limit, enoughExact);
  const { exact, partial } = await inTransaction(db, async (client) => {
    await client.query(plannerSettings);
    const exact = await findEveryWord(client, archive, query, limit);
    if (exact.length === 0 && query.has_symbols) {
      exact.push(...(await findSubstring(client, archive, query, limit)));
    }
    const partial = exact.length < enough ? await findSomeWords(client, archive, query) : [];
    return { exact, partial };
  });
  const numbers = [...new Set([...exact, ...partial])].slice(0, limit);
  const tier = exact.length > 0 ? 'every_word' : numbers.length > 0 ? 'some_words' : 'none';
  return { numbers, tier };
}

async function findEveryWord(
  client: pg.ClientBase,
  archive: Archive,
  query: SearchQuery,
  limit: number,
): Promise<number[]> {
  if (query.words.length === 0) return [];
  const plain = `plainto_tsquery('english', $4)`;
  // `$6` is mentioned for those that have no use for it: Postgres must know its type.
  const rank = async (candidates: string, match: string, term: string) => {
    const { rows } = await client.query<{ number: number }>(
      `SELECT number FROM (${candidates}) candidate WHERE $6::text IS NOT NULL
       ORDER BY search @@ phraseto_tsquery('english', $4) DESC, ts_rank_cd(search, ${match}) DESC,
         number DESC LIMIT $5`,
      [...keyOf(archive), query.plain, limit, term],
    );
    return rows.map(({ number }) => number);
  };
  if (query.has_symbols) {
    // A path is one word of the index, its parts are others: either will do.
    const either = `(plainto_tsquery('english', $6) || ${plain})`;
    return rank(indexedMatches(either), either, query.raw);
  }
  const rare = await findRareWords(client, archive, query);
  if (rare.length > 0) {
    const driving = `plainto_tsquery('simple', $6)`;
    return rank(indexedMatches(driving, undefined, `search @@ ${plain}`), plain, rare.join(' '));
  }
  const newest = await rank(newestMatches(plain), plain, '');
  return newest.length >= Math.min(limit, enoughExact)
    ? newest
    : rank(indexedMatches(plain), plain, '');
}

/** The rarest words, by which the index finds a message soonest; none when all of them are common. */
async function findRareWords(
  client: pg.ClientBase,
  archive: Archive,
  query: SearchQuery,
): Promise<string[]> {
  const split = await client.query<{ words: string[] }>(
    `SELECT tsvector_to_array(to_tsvector('english', $1)) AS words`,
    [query.plain],
  );
  const words = split.rows[0]?.words ?? [];
  const found = await countInProbe(client, archive, words, 'plainto_tsquery', 'simple');
  const least = Math.min(...found);
  return isCommon(least) ? [] : words.filter((_, index) => found[index] === least);
}

/** How many of the probed messages match each of the terms. */
async function countInProbe(
  client: pg.ClientBase,
  archive: Archive,
  terms: string[],
  parse: 'plainto_tsquery' | 'to_tsquery',
  language: 'simple' | 'english',
): Promise<number[]> {
  const counts = terms.map(
    (_, index) => `count(*) FILTER (WHERE search @@ ${parse}('${language}', $${index + 4}))`,
  );
  const { rows } = await client.query<{ found: number[] }>(
    `SELECT ARRAY[${counts.join(', ')}]::int[] AS found FROM (${probe}) probe`,
    [...keyOf(archive), ...terms],
  );
  return rows[0]?.found ?? [];
}

async function findSubstring(
  client: pg.ClientBase,
  archive: Archive,
  query: SearchQuery,
  limit: number,
): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(
    `SELECT number FROM (${newestMessages('number, content', substringMessages)}) newest
     WHERE strpos(lower(left(content, 20000)), lower($4)) > 0 ORDER BY number DESC LIMIT $5`,
    [...keyOf(archive), query.raw, limit],
  );
  return rows.map(({ number }) => number);
}

/** A message counts more for each word it holds, and a rare word counts more than a common one. */
async function findSomeWords(
  client: pg.ClientBase,
  archive: Archive,
  query: SearchQuery,
): Promise<number[]> {
  const terms = toPrefixTerms(query, maxSingleWords);
  if (terms.length === 0) return [];
  const values = [...keyOf(archive), ...terms];
  const matches = terms.map((_, index) => `to_tsquery('english', $${index + 4})`);
  const found = await countInProbe(client, archive, terms, 'to_tsquery', 'english');
  // One branch a word: an OR of words would be planned as more common than any of them is.
  const branches = matches.map((match, index) => {
    const find = isCommon(found[index] ?? 0) ? newestMatches : indexedMatches;
    return `SELECT ${index} AS word, number FROM (${find(match, maxMatchesOfWord)}) word_${index}`;
  });
  const { rows } = await client.query<{ number: number }>(
    `WITH hit AS (${branches.join(' UNION ALL ')}),
     weight AS (SELECT word, 1.0 / count(*) AS weight FROM hit GROUP BY word)
     SELECT number FROM hit JOIN weight USING (word)
     GROUP BY number ORDER BY sum(weight) DESC, number DESC LIMIT 100`,
    values,
  );
  return rows.map(({ number }) => number);
}

function keyOf(archive: Archive) {
  return [archive.session_id, archive.tenant_id, archive.before];
}
