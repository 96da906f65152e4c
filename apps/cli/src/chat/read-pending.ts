import { type Approval, approvalSchema } from '@loom/shared/approval';
import { z } from 'zod';
import { type ApiClient, readAs } from '../api-client.ts';

const pageSchema = z.object({ items: z.array(approvalSchema) });

/** The questions that are open in a session, oldest first. */
export async function readPending(client: ApiClient, sessionId: string): Promise<Approval[]> {
  const query = new URLSearchParams({ status: 'pending', session_id: sessionId, limit: '200' });
  const page = await client.request('GET', `/api/approvals?${query}`);
  return readAs(pageSchema, page).items.toReversed();
}
