import type pg from 'pg';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import type { Archive } from './recall-message.ts';
import { parseSearchQuery, type SearchQuery, toPrefixTerms } from './search-query.ts';

/** How well the hits match. */
type SearchTier = 'every_word' | 'some_words' | 'none';

// Common words match half of an archive. So many matches are looked at and ranked, not all:
// ranking 100,000 would take a hundred times as long as the answer is worth.
const maxCandidates = 120;
const maxPhraseCandidates = 1_500;
const maxCandidatesOfWord = 40;
const maxSingleWords = 6;
// So many messages that hold every word answer the question; those with some would bury them.
const enoughExact = 3;
// Symbols have no index; they are looked for in the newest messages only.
const scannedMessages = 1_000;

// With a limit the planner hopes to find common words by reading the table from its start, where
// other sessions lie; and compiling a query takes longer than running it.
const plannerSettings = 'SET LOCAL enable_seqscan = off; SET LOCAL jit = off';

// Recalled text echoes other messages; finding it again would push the originals out.
const archived = `session_id = $1 AND tenant_id = $2 AND number < $3
  AND tool_name IS DISTINCT FROM 'conversation_recall'`;

const candidates = (match: string, limit: number) =>
  `SELECT number, search FROM messages WHERE ${archived} AND search @@ ${match} LIMIT ${limit}`;

const everyWord = (query: SearchQuery) =>
  query.has_symbols
    ? `(plainto_tsquery('english', $4) || plainto_tsquery('english', $5))`
    : `plainto_tsquery('english', $5)`;

/** Numbers of the best matches first: the exact phrase, then every word, then some or their beginnings. */
export async function searchMessages(
  db: Database,
  archive: Archive,
  text: string,
  limit: number,
): Promise<{ numbers: number[]; tier: SearchTier }> {
  const query = parseSearchQuery(text);
  const { exact, partial } = await inTransaction(db, async (client) => {
    await client.query(plannerSettings);
    const exact = await findExact(client, archive, query, limit);
    if (exact.length === 0 && query.has_symbols) {
      exact.push(...(await findSubstring(client, archive, query, limit)));
    }
    const isAnswered = exact.length >= Math.min(limit, enoughExact);
    const partial = isAnswered ? [] : await findSomeWords(client, archive, query);
    return { exact, partial };
  });
  const numbers = [...new Set([...exact, ...partial])].slice(0, limit);
  const tier = exact.length > 0 ? 'every_word' : numbers.length > 0 ? 'some_words' : 'none';
  return { numbers, tier };
}

async function findExact(
  client: pg.ClientBase,
  archive: Archive,
  query: SearchQuery,
  limit: number,
): Promise<number[]> {
  if (query.words.length === 0) return [];
  const match = everyWord(query);
  const { rows } = await client.query<{ number: number; is_phrase: boolean; looked_at: number }>(
    `SELECT number, search @@ phraseto_tsquery('english', $5) AS is_phrase,
       count(*) OVER () AS looked_at
     FROM (${candidates(match, maxCandidates)}) candidate
     WHERE $4::text IS NOT NULL
     ORDER BY is_phrase DESC, ts_rank_cd(search, ${match}) DESC, number DESC LIMIT $6`,
    [...keyOf(archive), query.raw, query.plain, limit],
  );
  const found = rows.map(({ number }) => number);
  const wasCut = (rows[0]?.looked_at ?? 0) >= maxCandidates;
  if (!wasCut || query.words.length === 1 || rows.every((row) => row.is_phrase)) return found;
  const phrases = await client.query<{ number: number }>(
    `SELECT number FROM (
       SELECT number, search FROM messages
       WHERE ${archived} AND search @@ plainto_tsquery('english', $4)
       ORDER BY number DESC LIMIT ${maxPhraseCandidates}
     ) candidate
     WHERE search @@ phraseto_tsquery('english', $4) ORDER BY number DESC LIMIT $5`,
    [...keyOf(archive), query.plain, limit],
  );
  return [...new Set([...phrases.rows.map(({ number }) => number), ...found])].slice(0, limit);
}

async function findSubstring(
  client: pg.ClientBase,
  archive: Archive,
  query: SearchQuery,
  limit: number,
): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(
    `SELECT number FROM (
       SELECT number, content FROM messages WHERE ${archived}
       ORDER BY number DESC LIMIT ${scannedMessages}
     ) newest
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
  // One branch a word: an OR of words would be planned as more common than any of them is.
  const branches = terms.map((_, index) => {
    const match = `to_tsquery('english', $${index + 4})`;
    return `SELECT ${index} AS word, number
      FROM (${candidates(match, maxCandidatesOfWord)}) word_${index}`;
  });
  const { rows } = await client.query<{ number: number }>(
    `WITH hit AS (${branches.join(' UNION ALL ')}),
     weight AS (SELECT word, 1.0 / count(*) AS weight FROM hit GROUP BY word)
     SELECT number FROM hit JOIN weight USING (word)
     GROUP BY number ORDER BY sum(weight) DESC, number DESC LIMIT 100`,
    [...keyOf(archive), ...terms],
  );
  return rows.map(({ number }) => number);
}

function keyOf(archive: Archive) {
  return [archive.session_id, archive.tenant_id, archive.before];
}
