import type { MessageRow } from '../read/messages.ts';

/** A message of the archive, and what it is in an answer. */
export interface RecallMessage
  extends Pick<MessageRow, 'number' | 'role' | 'content' | 'tool_calls' | 'tool_name'> {
  is_match: boolean;
}

/** The columns of a recalled message. */
export const recallColumns = 'number, role, content, tool_calls, tool_name';

/** Where to look. `before` leaves out the turn that is asking. */
export interface Archive {
  tenant_id: string;
  session_id: string;
  before: number;
}
