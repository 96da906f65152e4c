import type { Message, Session } from '@loom/shared/api';

/** A way to write a session down: what comes first, and then each of its messages. */
export interface ExportForm {
  content_type: string;
  extension: string;
  head(session: Session): string;
  message(message: Message): string;
}
