import type { Database } from '@loom/db/database';
import { readMessages } from '@loom/db/read/messages';
import type { Session } from '@loom/shared/api';
import type { ExportForm } from './export-form.ts';

/** A session written down piece by piece, up to the newest message it had when it was looked up. */
export async function* exportSession(
  db: Database,
  params: { tenant_id: string; session: Session; form: ExportForm },
): AsyncGenerator<string, void> {
  const { tenant_id, session, form } = params;
  yield form.head(session);
  const archive = { tenant_id, session_id: session.id, last: session.message_count };
  for await (const page of readMessages(db, archive)) {
    yield page.map((message) => form.message(message)).join('');
  }
}
