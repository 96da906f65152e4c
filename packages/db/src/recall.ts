import type { RecallAnswer, RecallRequest } from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import { assertNever } from '@loom/shared/assert-never';
import type { Database } from './database.ts';
import { excerptOf } from './recall/excerpt.ts';
import { listByNumber, listToolCalls, listWithNeighbours } from './recall/list-recall.ts';
import { openArchive } from './recall/open-archive.ts';
import type { Archive, RecallMessage } from './recall/recall-message.ts';
import { renderRecall } from './recall/render-recall.ts';
import { searchMessages } from './recall/search-messages.ts';
import { summariseArchive } from './recall/summarise-archive.ts';

interface RecallParams {
  tenant_id: string;
  session_id: string;
  request: RecallRequest;
  max_tokens?: number;
  /** The turn that asks: it would find its own question, so its messages are left out. */
  asking_turn_id?: string;
}

const maxRange = 200;
const lastNumber = 2_147_483_647;

/** Looks things up in a session's archive; the answer says plainly when there is nothing. */
export async function recallMessages(db: Database, params: RecallParams): Promise<RecallAnswer> {
  const { request, tenant_id, session_id } = params;
  const asking_turn_id = params.asking_turn_id ?? null;
  const archive = await openArchive(db, { tenant_id, session_id, asking_turn_id });
  const maxTokens = params.max_tokens ?? 8_000;
  switch (request.action) {
    case 'search':
      return search(db, archive, request, maxTokens);
    case 'range':
      return range(db, archive, request, maxTokens);
    case 'tool_calls':
      return toolCalls(db, archive, request, maxTokens);
    case 'summary':
      return { text: await summariseArchive(db, archive), matches: [] };
    default:
      return assertNever(request.action);
  }
}

async function search(db: Database, archive: Archive, request: RecallRequest, maxTokens: number) {
  const query = request.query?.trim() ?? '';
  if (query === '') throw refusal('query', 'say in `query` what to search for');
  const { exact, partial } = await searchMessages(db, archive, query, request.limit);
  const numbers = [...exact, ...partial];
  if (numbers.length === 0) {
    return { text: `Nothing in this conversation matches "${query}".`, matches: [] };
  }
  const heading = searchHeading(query, exact.length, partial.length);
  const shown = await listWithNeighbours(db, archive, numbers);
  const found = numbers.flatMap((number) => shown.filter((message) => message.number === number));
  return { text: renderRecall(heading, shown, maxTokens), matches: toMatches(found, query) };
}

/** Says how much of the query was found, so that nobody takes a part for the whole. */
function searchHeading(query: string, exact: number, partial: number): string {
  if (exact === 0) {
    return `Nothing matches all of "${query}". ${countOf(partial)} with some of it, or something like it:`;
  }
  const more = partial === 0 ? '' : `, and ${partial} more with some of it`;
  return `${countOf(exact)} for "${query}"${more}, the best first:`;
}

function countOf(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

async function range(db: Database, archive: Archive, request: RecallRequest, maxTokens: number) {
  const start = request.start_turn ?? 1;
  const end = request.end_turn ?? lastNumber;
  if (start > end) throw refusal('start_turn', 'must not be greater than end_turn');
  // A range with both ends asks for all of it; the bound on text does the rest.
  const isClosed = request.start_turn !== undefined && request.end_turn !== undefined;
  const found = await listByNumber(db, archive, {
    start,
    end,
    limit: isClosed ? maxRange : request.limit,
    newest_first: request.start_turn === undefined,
  });
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) {
    return { text: 'There are no messages in that range.', matches: [] };
  }
  const heading = `Messages ${first.number} to ${last.number}:`;
  return { text: renderRecall(heading, found, maxTokens), matches: toMatches(found, null) };
}

async function toolCalls(
  db: Database,
  archive: Archive,
  request: RecallRequest,
  maxTokens: number,
) {
  const tool_name = request.tool_name ?? null;
  const found = await listToolCalls(db, archive, { tool_name, limit: request.limit });
  const what = tool_name === null ? 'tool calls' : `calls of ${tool_name}`;
  if (found.length === 0)
    return { text: `There are no ${what} in this conversation.`, matches: [] };
  const heading = `The last ${found.length} ${what}:`;
  return { text: renderRecall(heading, found, maxTokens), matches: toMatches(found, null) };
}

function toMatches(messages: RecallMessage[], query: string | null): RecallAnswer['matches'] {
  return messages.map(({ number, role, content }) => ({
    number,
    role,
    excerpt: excerptOf(content, query),
  }));
}

function refusal(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}`, {
    details: { errors: [{ path, message }] },
  });
}
