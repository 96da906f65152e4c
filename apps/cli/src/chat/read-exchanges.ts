import { type Message, messageSchema } from '@loom/shared/api';
import { z } from 'zod';
import { type ApiClient, readAs } from '../api-client.ts';
import { sessionPath } from '../conversation.ts';

const pageSize = 50;
/** One exchange can hold many tool calls; what lies further back is left to the next page. */
const maxPages = 10;
/** Greater than the number of any message. */
const pastTheEnd = 999_999_999_999;

const pageSchema = z.object({ items: z.array(messageSchema), next_cursor: z.string().nullish() });

/** A stretch of the archive, oldest message first. */
export interface Exchanges {
  messages: Message[];
  /** Whether the archive begins with it. */
  is_beginning: boolean;
}

/** The last so many exchanges before a message, each from what the user said to the end of the answer. */
export async function readExchanges(
  client: ApiClient,
  sessionId: string,
  { before, count }: { before: number | null; count: number },
): Promise<Exchanges> {
  let messages: Message[] = [];
  let cursor = String(before ?? pastTheEnd);
  for (let page = 0; page < maxPages; page += 1) {
    const path = `${sessionPath(sessionId)}/messages?before=${cursor}&limit=${pageSize}`;
    const { items, next_cursor } = readAs(pageSchema, await client.request('GET', path));
    messages = [...items, ...messages];
    const start = startOfLast(messages, count);
    if (start >= 0) {
      return { messages: messages.slice(start), is_beginning: start === 0 && !next_cursor };
    }
    if (!next_cursor) return { messages, is_beginning: true };
    cursor = next_cursor;
  }
  return { messages, is_beginning: false };
}

/** Where the last so many of the user's messages begin; -1 when there are not that many. */
function startOfLast(messages: Message[], count: number): number {
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return starts.at(-count) ?? -1;
}

/** The part of these messages that begins with the last so many of the user's. */
export function lastExchanges(messages: Message[], count: number): Message[] {
  return messages.slice(Math.max(0, startOfLast(messages, count)));
}
