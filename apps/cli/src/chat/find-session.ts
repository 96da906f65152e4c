import { type Session, sessionSchema } from '@loom/shared/api';
import { firstLine } from '@loom/shared/text';
import { z } from 'zod';
import { type ApiClient, readAs } from '../api-client.ts';
import { CommandFailure } from '../command-failure.ts';
import { sessionPath } from '../conversation.ts';
import { plainText } from '../plain-text.ts';

const pageSchema = z.object({ items: z.array(sessionSchema) });
const listed = 5;

/** The session to go on with, and others that may have been meant. */
export interface FoundSession {
  session: Session;
  others: Session[];
}

/** The session with this id. */
export async function readSession(client: ApiClient, id: string): Promise<Session> {
  return readAs(sessionSchema, await client.request('GET', sessionPath(id)));
}

/** The session of a workspace in which something happened last, among those that have not ended. */
export async function findLatestSession(
  client: ApiClient,
  workspace: string,
): Promise<FoundSession> {
  const query = new URLSearchParams({ workspace, limit: '50' });
  const sessions = await readActive(client, `/api/sessions?${query}`);
  const [session, ...others] = sessions;
  if (session !== undefined) return { session, others: others.slice(0, listed) };
  const elsewhere = (await readActive(client, '/api/sessions?limit=50')).slice(0, listed);
  const hint =
    elsewhere.length === 0
      ? 'Start one with: loom chat'
      : `Name one with: loom chat --resume <session>\n${elsewhere.map(describeSession).join('\n')}`;
  throw new CommandFailure(`There is no open session of ${workspace}. ${hint}`);
}

/** A session on one line. */
export function describeSession(session: Session): string {
  const { id, message_count, updated_at, title } = session;
  const messages = message_count === 1 ? '1 message' : `${message_count} messages`;
  return plainText(`  ${id}  ${updated_at}  ${messages}  ${firstLine(title, 60)}`).trimEnd();
}

async function readActive(client: ApiClient, path: string): Promise<Session[]> {
  const { items } = readAs(pageSchema, await client.request('GET', path));
  return items
    .filter(({ status }) => status === 'active')
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at));
}
