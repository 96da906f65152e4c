import type { MessageRow } from '../read/messages.ts';

/** A message of the archive, and what it is in an answer. */
export interface RecallMessage
  extends Pick<MessageRow, 'number' | 'role' | 'content' | 'tool_calls' | 'tool_name'> {
  is_match: boolean;
}

/** The columns of a recalled message. */
export const recallColumns = 'number, role, content, tool_calls, tool_name';

/** Where to look: all of a session but what these turns hold. */
export interface Archive {
  tenant_id: string;
  session_id: string;
  hidden_turns: string[];
}

/** The messages of an archive, with `archiveValues` as the first values of the statement. */
export const ofArchive = `session_id = $1 AND tenant_id = $2
  AND (turn_id IS NULL OR turn_id <> ALL ($3::text[]))`;

/** The values that `ofArchive` stands for. */
export function archiveValues(archive: Archive): unknown[] {
  return [archive.session_id, archive.tenant_id, archive.hidden_turns];
}
