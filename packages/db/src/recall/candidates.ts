import { ofArchive } from './recall-message.ts';

// What is common is looked for in the newest messages, what is rare in the index: the index takes
// the longer the more messages hold a word, in all sessions together, and ranking half of an
// archive helps nobody.
const scannedMessages = 2_500;
const maxCandidates = 150;

// Recalled text echoes other messages; finding it again would push the originals out.
const archived = `${ofArchive} AND tool_name IS DISTINCT FROM 'conversation_recall'`;

/** The newest messages of the archive. */
export const newestMessages = (columns: string, limit: number) =>
  `SELECT ${columns} FROM messages WHERE ${archived} ORDER BY number DESC LIMIT ${limit}`;

/** Matches among the newest messages. */
export const newestMatches = (match: string, limit = maxCandidates) =>
  `SELECT number, search, content
   FROM (${newestMessages('number, search, content', scannedMessages)}) newest
   WHERE search @@ ${match} LIMIT ${limit}`;

/**
 * Matches that the index finds; `also` is checked on what was found, without the index. The limit is
 * kept from the planner: with it, it hopes to find enough by reading the session from its start.
 */
export const indexedMatches = (match: string, limit = maxCandidates, also = 'true') =>
  `WITH matching AS MATERIALIZED (
     SELECT number, search, content FROM messages WHERE ${archived} AND search @@ ${match}
   )
   SELECT number, search, content FROM matching WHERE (${also}) IS TRUE LIMIT ${limit}`;

/** How many of so many terms are to be expected together in the newest messages, by what a probe found. */
export function expectedInNewest(shares: number[]): number {
  return shares.reduce((product, share) => product * share, scannedMessages);
}
