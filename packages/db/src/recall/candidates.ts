// What is common is looked for in the newest messages, what is rare in the index: the index takes
// the longer the more messages hold a word, in all sessions together, and ranking half of an
// archive helps nobody.
const probedMessages = 400;
const commonInProbe = 4;
const scannedMessages = 2_500;
const maxCandidates = 150;

/** Whether a word that so many of the probed messages hold is common. */
export function isCommon(found: number): boolean {
  return found >= commonInProbe;
}

// Recalled text echoes other messages; finding it again would push the originals out.
const archived = `session_id = $1 AND tenant_id = $2 AND number < $3
  AND tool_name IS DISTINCT FROM 'conversation_recall'`;

/** The newest messages of the archive. */
export const newestMessages = (columns: string, limit: number) =>
  `SELECT ${columns} FROM messages WHERE ${archived} ORDER BY number DESC LIMIT ${limit}`;

/** The messages by which it is judged how common a word is. */
export const probe = newestMessages('search', probedMessages);

/** Matches among the newest messages. */
export const newestMatches = (match: string, limit = maxCandidates) =>
  `SELECT number, search FROM (${newestMessages('number, search', scannedMessages)}) newest
   WHERE search @@ ${match} LIMIT ${limit}`;

/** Matches that the index finds; `also` is checked on what was found, without the index. */
export const indexedMatches = (match: string, limit = maxCandidates, also = 'true') =>
  `SELECT number, search FROM messages
   WHERE ${archived} AND search @@ ${match} AND (${also}) IS TRUE LIMIT ${limit}`;
